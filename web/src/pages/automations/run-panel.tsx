import { Link } from '@tanstack/react-router';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import {
  branchOfReason,
  isWinnerReason,
  type TraceOutcome,
} from '@tidings/contracts/automations/runs';
import type { ReactNode } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Run } from '../../api/types.ts';
import {
  branchLetter,
  mayEndEarlier,
  nodeName,
  type AutomationNames,
} from '../../automations/words.ts';
import { explainDelivery } from '../../labels/explain.ts';
import { humanize } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { RunBadge } from './run-badge.tsx';

const LIVE_MS = 5_000;

type PanelProps = {
  readonly path: string;
  /** In place of the person: the page is theirs. */
  readonly title?: ReactNode;
  /** Of its version, or of another; undefined until it is read. */
  readonly definition: AutomationDefinition | undefined;
  readonly names: AutomationNames;
  readonly onClose: () => void;
};

/** The way of one person, line by line. */
export function RunPanel({ path, title, definition, names, onClose }: PanelProps) {
  const read = useRead<Run>(path, {
    everyMs: LIVE_MS,
    until: ({ endedAt, status }) => endedAt !== null && status !== 'failed',
  });
  const { data } = read;
  return (
    <SidePanel
      title={
        <span className="cut">
          {title ??
            (data?.customUserId == null ? (
              'A deleted user'
            ) : (
              <UserLink customUserId={data.customUserId} />
            ))}
        </span>
      }
      onClose={onClose}
      {...(data !== undefined && {
        head: (
          <div className="row">
            <RunBadge run={data} />
            <RunActions path={path} status={data.status} />
          </div>
        ),
        foot: `Version ${data.version}`,
      })}
    >
      <div className="inside">
        <Loaded read={read}>{(run) => <Trace {...{ run, definition, names }} />}</Loaded>
      </div>
    </SidePanel>
  );
}

function RunActions({ path, status }: { readonly path: string; readonly status: Run['status'] }) {
  const act = useChange<'end' | 'retry'>(
    (deed) => ({ path: `${path}/${deed}`, method: 'POST' }),
    ['automations'],
  );
  const run = (deed: 'end' | 'retry', said: string): void =>
    act.mutate(deed, {
      onSuccess: () => showToast(said),
      onError: (error) => showToast(errorMessage(error), 'bad'),
    });
  if (!useMay('changeAutomations')) return null;
  return (
    <>
      {status === 'active' && (
        <Button isSmall isBusy={act.isPending} onClick={() => run('end', 'Taken out')}>
          Take out
        </Button>
      )}
      {status === 'failed' && (
        <Button isSmall isBusy={act.isPending} onClick={() => run('retry', 'It goes on')}>
          Try again
        </Button>
      )}
    </>
  );
}

type Line = Pick<Run['trace'][number], 'node' | 'at' | 'outcome' | 'reason' | 'campaignId'> & {
  readonly channel?: string;
  /** Of a rehearsal: why the message would not have arrived. */
  readonly unreachable?: string;
};

type Known = Pick<PanelProps, 'definition' | 'names'>;

function Trace({ run, definition, names }: Known & { readonly run: Run }) {
  const { trace, waitsUntil, error, customUserId } = run;
  return (
    <TraceLines
      lines={trace}
      {...{ definition, names, waitsUntil, customUserId }}
      after={
        error !== null && (
          <li data-outcome="failed" className="wrap">
            {error}
          </li>
        )
      }
    />
  );
}

/** What happened to one person, line by line. */
export function TraceLines({
  lines,
  definition,
  names,
  customUserId,
  waitsUntil = null,
  after,
}: Known & {
  readonly lines: readonly Line[];
  readonly customUserId: string | null;
  readonly waitsUntil?: number | null;
  readonly after?: ReactNode;
}) {
  const last = lines.at(-1);
  const nameOf = (id: string): string =>
    definition === undefined ? id : nodeName(definition, id, names);
  const shown = lines.filter((line, index) => !isOver(line, lines[index + 1]));
  return (
    <ol className="trace">
      {lines.length === 0 && <li className="soft">It begins in a moment.</li>}
      {shown.map((line, index) => (
        // Lines are only added at the end, or in the place of a wait.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} data-outcome={line.unreachable === undefined ? line.outcome : 'failed'}>
          <div className="row nowrap">
            <span className="grow strong" dir="auto">
              {line.node === '' ? '' : `${nameOf(line.node)}: `}
              {lineText(line)}
            </span>
            <span className="soft small">
              <Time at={line.at} form="clock" />
            </span>
          </div>
          {line === last && line.outcome === 'waiting' && waitsUntil !== null && (
            <div className="soft small">
              Until <Time at={waitsUntil} form="clock" />
              {definition !== undefined && mayEndEarlier(definition, line.node) && ' at the latest'}
            </div>
          )}
          {line.campaignId !== undefined && (
            <Link
              className="small"
              to="/campaigns/$campaignId"
              params={{ campaignId: line.campaignId }}
              search={
                { tab: 'recipients', ...(customUserId !== null && { customUserId }) } as never
              }
            >
              What became of it
            </Link>
          )}
        </li>
      ))}
      {after}
    </ol>
  );
}

/** A wait that its end says again. Why it waited for something of its own is only said there. */
const isOver = ({ node, outcome, reason }: Line, next: Line | undefined): boolean =>
  outcome === 'waiting' && reason === undefined && next?.node === node;

const WORDS: Readonly<Record<TraceOutcome, string>> = {
  entered: 'Entered',
  waiting: 'waits',
  passed: 'done',
  sent: 'sent',
  skipped: 'nothing was sent',
  completed: 'Reached the end',
  exited: 'Left',
  goal: 'Reached the goal',
  failed: 'failed',
};
const EXITS: Readonly<Record<string, string>> = {
  ended: 'taken out',
  exit: 'by an exit',
  node_removed: 'the step is gone',
  stopped: 'it was stopped',
};

function branchText(reason: string): string {
  if (reason === 'then') return 'yes';
  if (reason === 'else') return 'no';
  const letter = branchLetter(Number(branchOfReason(reason)));
  return isWinnerReason(reason) ? `${letter}, the better way` : letter;
}

function lineText({ outcome, reason, unreachable }: Line): string {
  const words = WORDS[outcome];
  if (unreachable !== undefined) return `would not arrive. ${explainDelivery(unreachable).summary}`;
  if (reason === undefined) return words;
  if (outcome === 'passed') return branchText(reason);
  if (outcome === 'skipped') return `${words}. ${skipText(reason)}`;
  return `${words}, ${EXITS[reason] ?? humanize(reason).toLowerCase()}`;
}

/** Why there was no message for a person. */
export function skipText(reason: string): string {
  const [kind, detail] = reason.split(':');
  if (kind === 'filter') return 'Not among those whom it is for any more';
  if (kind === 'missed') return 'It was over 1 hour late after a pause';
  if (kind === 'unreachable' && detail === undefined) return 'Not reachable';
  return detail === undefined ? humanize(reason) : explainDelivery(detail).summary;
}
