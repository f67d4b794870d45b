import { useState } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type {
  Automation,
  AutomationReport,
  ChangedAutomation,
  ListedAutomation,
} from '../../api/types.ts';
import type { AutomationDraft } from '../../automations/use-automation-draft.ts';
import { explain } from '../../labels/explain.ts';
import { counted, formatCount } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Choice } from './choice.tsx';
import { showToast } from '../../ui/toast.tsx';

type Acted = Pick<Automation, 'slug' | 'name' | 'status' | 'liveVersion' | 'hasChanges'>;
type Props = {
  readonly automation: Acted | ListedAutomation;
  /** In a row of a list: a menu alone. */
  readonly isSmall?: boolean;
  /** What is edited: it is saved and looked at before an activation. */
  readonly draft?: Pick<AutomationDraft, 'check' | 'cautions'>;
  readonly onDeleted?: () => void;
};
type Deed = 'activate' | 'resume' | 'stop' | 'delete';
type Step = { readonly path: string; readonly body?: object };

const people = (count: number): string => counted(count, 'person', 'people');

/** Starts, pauses and ends an automation, as far as its status and the role permit it. */
export function AutomationActions({ automation, isSmall = false, draft, onDeleted }: Props) {
  const { slug, name, status, liveVersion, hasChanges } = automation;
  const [asked, setAsked] = useState<Deed | null>(null);
  const path = `automations/${encodeURIComponent(slug)}`;
  const { data: report } = useRead<AutomationReport>(`${path}/report`, {
    enabled: asked !== null || !isSmall,
  });
  const active = report?.active ?? ('active' in automation ? automation.active : 0);
  const act = useChange<Step, ChangedAutomation>(
    ({ path: step, ...rest }) => ({ path: `${path}/${step}`, method: 'POST', ...rest }),
    ['automations'],
  );
  const remove = useChange<void>(() => ({ path, method: 'DELETE' }), ['automations']);
  const may = useMay('changeAutomations');
  if (!may) return null;

  const close = (): void => {
    setAsked(null);
    act.reset();
  };
  const run = (step: Step, said: string): void =>
    act.mutate(step, {
      onSuccess: ({ warnings }) => {
        const doubts = warnings.map(({ code }) => explain('warning', code).summary);
        // On its page they are shown already.
        showToast([said, ...(draft === undefined ? doubts : [])].join('. '));
        close();
      },
    });
  const pause = (): void =>
    act.mutate(
      { path: 'pause' },
      {
        onSuccess: () =>
          showToast(
            active === 0 ? 'Paused.' : `Paused. ${people(active)} wait here. They stay.`,
            'good',
            () => act.mutate({ path: 'resume', body: { missedSends: 'send' } }),
          ),
        onError: (error) => showToast(errorMessage(error), 'bad'),
      },
    );
  const activate = async (): Promise<void> => {
    if (draft === undefined || (await draft.check())) setAsked('activate');
  };
  const mayActivate = hasChanges || status === 'draft' || status === 'stopped';
  const items: readonly MenuItem[] = [
    ...(isSmall && mayActivate && status !== 'paused'
      ? [{ value: 'activate', label: 'Activate…', icon: 'play' as const }]
      : []),
    ...(isSmall && status === 'active'
      ? [{ value: 'pause', label: 'Pause', icon: 'pause' as const }]
      : []),
    ...(isSmall && status === 'paused'
      ? [{ value: 'resume', label: 'Resume…', icon: 'play' as const }]
      : []),
    ...(status === 'active' || status === 'paused'
      ? [{ value: 'stop', label: 'Stop…', icon: 'leave' as const }]
      : [{ value: 'delete', label: 'Delete…', icon: 'close' as const }]),
  ];
  const next = (liveVersion ?? 0) + 1;
  return (
    <>
      {!isSmall && status === 'active' && (
        <Button onClick={pause} isBusy={act.isPending}>
          <Icon name="pause" /> Pause
        </Button>
      )}
      {!isSmall && status === 'paused' && (
        <Button kind="primary" onClick={() => setAsked('resume')}>
          <Icon name="play" /> Resume…
        </Button>
      )}
      {!isSmall && mayActivate && status !== 'paused' && (
        <Button kind="primary" onClick={() => void activate()}>
          <Icon name="play" /> Activate…
        </Button>
      )}
      <Menu
        label={<Icon name="more" />}
        name={isSmall ? `Actions of ${name}` : 'More actions'}
        className={isSmall ? 'plain small icon' : 'icon'}
        items={items}
        onChoose={(deed) => {
          if (deed === 'pause') pause();
          else if (deed === 'activate') void activate();
          else setAsked(deed as Deed);
        }}
      />
      {asked === 'activate' && (
        <Ask
          title={`Activate ${isolate(name)}`}
          action="Activate"
          change={act}
          choices={
            active === 0
              ? []
              : [
                  {
                    value: 'keep',
                    label: 'They keep the version that they entered',
                    hint: 'Nobody’s way changes.',
                  },
                  {
                    value: 'move',
                    label: `They go on with version ${formatCount(next)}`,
                    hint: 'At the same step. Who waits at a step that is gone leaves.',
                  },
                ]
          }
          onClose={close}
          onConfirm={(inFlight) =>
            run(
              { path: 'activate', body: inFlight === '' ? {} : { inFlight } },
              `Version ${formatCount(next)} is active`,
            )
          }
        >
          <p>People enter from now on. No one enters for what came before this moment.</p>
          {active > 0 && <p>{people(active)} are in it.</p>}
          {draft?.cautions.map(({ at, text }) => (
            <Callout key={at + text} tone="warn">
              <p className="small">{text}</p>
            </Callout>
          ))}
        </Ask>
      )}
      {asked === 'resume' && (
        <Ask
          title={`Resume ${isolate(name)}`}
          action="Resume"
          change={act}
          choices={[
            {
              value: 'send',
              label: 'Send the late messages',
              hint: 'All that fell due meanwhile.',
            },
            {
              value: 'skip',
              label: 'Skip messages over 1 hour late',
              hint: 'People go on with the next step.',
            },
          ]}
          onClose={close}
          onConfirm={(missedSends) => run({ path: 'resume', body: { missedSends } }, 'It goes on')}
        >
          <p>
            {active === 0
              ? 'Nobody waits in it. People enter again.'
              : `${people(active)} wait in it. They go on, and people enter again.`}
          </p>
        </Ask>
      )}
      {asked === 'stop' && (
        <Ask
          title={`Stop ${isolate(name)}`}
          action="Stop"
          isDangerous
          change={act}
          choices={
            active === 0
              ? []
              : [
                  {
                    value: 'finish',
                    label: 'They go on to their end',
                    hint: 'They still get messages.',
                  },
                  { value: 'end', label: 'They leave now', hint: 'They get no further message.' },
                ]
          }
          onClose={close}
          onConfirm={(runs) =>
            run({ path: 'stop', body: { runs: runs === '' ? 'finish' : runs } }, 'Stopped')
          }
        >
          <p>Nobody enters any more.{active > 0 && ` ${people(active)} are in it.`}</p>
        </Ask>
      )}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${isolate(name)}?`}
          action="Delete"
          change={remove}
          onClose={() => setAsked(null)}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                showToast('Automation deleted');
                setAsked(null);
                onDeleted?.();
              },
            })
          }
        >
          <p>Its steps and its numbers are gone for everyone. Messages that were sent stay.</p>
        </Confirm>
      )}
    </>
  );
}

type AskProps = Omit<Parameters<typeof FormDialog>[0], 'onSubmit'> & {
  readonly choices: Parameters<typeof Choice>[0]['choices'];
  readonly onConfirm: (choice: string) => void;
};

/** Says whom it touches, and asks what becomes of them. */
function Ask({ choices, onConfirm, children, ...dialog }: AskProps) {
  const [value, setValue] = useState(choices[0]?.value ?? '');
  return (
    <FormDialog {...dialog} onSubmit={() => onConfirm(choices.length === 0 ? '' : value)}>
      {children}
      {choices.length > 0 && (
        <Choice label="What becomes of them" choices={choices} value={value} onChange={setValue} />
      )}
    </FormDialog>
  );
}
