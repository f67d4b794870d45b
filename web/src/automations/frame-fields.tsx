import {
  ENTRY_AGAIN,
  UNSUBSCRIBABLE_CHANNELS,
  type AutomationDefinition,
  type AutomationExit,
  type EntryAgain,
  type Throttle,
  type EventExit,
  type SegmentExit,
  type UnsubscribableChannel,
} from '@tidings/contracts/automations/definition';
import { LIMITS } from '@tidings/contracts/limits';
import { PURPOSES, type Purpose } from '@tidings/contracts/push/purposes';
import { ConditionBuilder } from '../conditions/condition-builder.tsx';
import { DurationFields } from '../conditions/duration-fields.tsx';
import { NamedEventFields } from '../conditions/event-fields.tsx';
import { withoutAbsent } from '../conditions/leaf-props.ts';
import { START } from '../conditions/new-condition.ts';
import { pathText } from '../conditions/path-text.ts';
import { channelName } from '../labels/channel-name.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, TextField } from '../ui/field.tsx';
import { toOptions } from '../ui/options.ts';
import { Select } from '../ui/select.tsx';
import { SegmentMoveFields } from './segment-move-fields.tsx';
import { TriggerFields } from './trigger-fields.tsx';
import { goalOf } from './words.ts';

type FrameProps = {
  readonly definition: AutomationDefinition;
  readonly onChange: (definition: AutomationDefinition) => void;
};
type Changes = {
  readonly [Key in keyof AutomationDefinition]?: AutomationDefinition[Key] | undefined;
};

const AGAIN: Readonly<Record<EntryAgain, string>> = {
  never: 'Never: each person once',
  after: 'Again after a while',
  always: 'Again every time',
};
/** What a goal counts after the last step, unless another time is chosen. */
const GOAL_WINDOW = '7d';
const NEW_THROTTLE: Throttle = { sends: 1_000, per: '1h' };

/** Everything but the steps: what starts it, whom it is for, what ends it. */
export function FrameFields({ definition, onChange }: FrameProps) {
  const { name, purpose, trigger, filter, recheckFilter } = definition;
  const set = (changes: Changes): void => onChange(withoutAbsent({ ...definition, ...changes }));
  return (
    <>
      <TextField
        label="Name"
        pointer="/name"
        value={name}
        onChange={(next) => set({ name: next })}
      />
      <Select
        label="Purpose"
        pointer="/purpose"
        value={purpose}
        options={toOptions(PURPOSES)}
        onChange={(next) => set({ purpose: next as Purpose })}
      />
      <h3>Starts when</h3>
      <TriggerFields trigger={trigger} onChange={(next) => set({ trigger: next })} />
      <h3>Only these people</h3>
      <Checkbox
        label="Ask something of each person first"
        isChecked={filter !== undefined}
        onChange={(isOn) => set({ filter: isOn ? START : undefined, recheckFilter: undefined })}
      />
      {filter !== undefined && (
        <>
          <ConditionBuilder
            condition={filter}
            pointer="/filter"
            onChange={(next) => set({ filter: next })}
          />
          <Checkbox
            label="Ask again before each message"
            isChecked={recheckFilter !== false}
            onChange={(isOn) => set({ recheckFilter: isOn ? undefined : false })}
          />
        </>
      )}
      <EntryFields definition={definition} set={set} />
      <ExitFields definition={definition} set={set} />
      <ThrottleFields definition={definition} set={set} />
    </>
  );
}

type PartProps = Pick<FrameProps, 'definition'> & { readonly set: (changes: Changes) => void };

function EntryFields({ definition: { entry = { again: 'never' }, trigger }, set }: PartProps) {
  const { again, after = '', key } = entry;
  return (
    <>
      <h3>May people enter again?</h3>
      <Select
        label="Again"
        pointer="/entry/again"
        value={again}
        options={toOptions(ENTRY_AGAIN, undefined, (each) => AGAIN[each])}
        onChange={(next) =>
          set({
            entry: withoutAbsent({
              ...entry,
              again: next as EntryAgain,
              after: next === 'after' ? '3d' : undefined,
            }),
          })
        }
      />
      {again === 'after' && (
        <div className="grid narrow">
          <DurationFields
            label="After"
            pointer="/entry/after"
            duration={after}
            onChange={(next) => set({ entry: { ...entry, after: next } })}
          />
        </div>
      )}
      {'event' in trigger && (
        <TextField
          label="Once for each value of (optional)"
          pointer="/entry/key"
          value={key === undefined ? '' : pathText(key)}
          placeholder="orderId"
          hint="An attribute of the event. A person may be in it several times at once then."
          spellCheck={false}
          onChange={(next) =>
            set({ entry: withoutAbsent({ ...entry, key: next === '' ? undefined : next }) })
          }
        />
      )}
    </>
  );
}

function ThrottleFields({ definition: { throttle }, set }: PartProps) {
  return (
    <>
      <h3>How fast</h3>
      <Checkbox
        label="Send at most a number of messages in a time"
        hint="People wait at the step for their turn, in the order in which they came."
        isChecked={throttle !== undefined}
        onChange={(isOn) => set({ throttle: isOn ? NEW_THROTTLE : undefined })}
      />
      {throttle !== undefined && (
        <div className="grid narrow">
          <TextField
            label="At most this number of messages"
            pointer="/throttle/sends"
            type="number"
            min={1}
            max={LIMITS.automationThrottleMax}
            step={1}
            value={String(throttle.sends)}
            onChange={(next) => set({ throttle: { ...throttle, sends: Number(next) } })}
          />
          <DurationFields
            label="In"
            pointer="/throttle/per"
            duration={throttle.per}
            onChange={(next) => set({ throttle: { ...throttle, per: next } })}
          />
        </div>
      )}
    </>
  );
}

function withGoal(exit: EventExit | SegmentExit, isOn: boolean): AutomationExit {
  const { as: _as, ...rest } = exit;
  return isOn ? { ...rest, as: 'goal' } : rest;
}

function ExitFields({ definition: { exit = [], goalWindow }, set }: PartProps) {
  const change = (next: readonly AutomationExit[]): void => {
    const hasGoal = next.some((each) => goalOf(each) === 'goal');
    set({
      exit: next.length === 0 ? undefined : next,
      goalWindow: hasGoal ? goalWindow : undefined,
    });
  };
  return (
    <>
      <h3>Leaves early at</h3>
      {exit.map((each, index) => (
        // They have no identity of their own; all their fields are controlled.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="stack tight">
          <div className="condition-line">
            {'event' in each ? (
              <NamedEventFields<EventExit>
                label={`Event ${index + 1} that ends it`}
                node={each}
                pointer={`/exit/${index}`}
                onChange={(next) => change(exit.with(index, next))}
              />
            ) : 'segment' in each ? (
              <SegmentMoveFields
                pointer={`/exit/${index}`}
                move={each}
                onChange={(next) =>
                  change(exit.with(index, withGoal(next, goalOf(each) === 'goal')))
                }
              />
            ) : (
              <Select
                label="Takes no marketing by"
                pointer={`/exit/${index}/unsubscribed`}
                value={each.unsubscribed}
                options={toOptions(UNSUBSCRIBABLE_CHANNELS, undefined, channelName)}
                onChange={(next) =>
                  change(exit.with(index, { unsubscribed: next as UnsubscribableChannel }))
                }
              />
            )}
            <Button
              isSmall
              kind="plain"
              aria-label={`Remove what ends it, ${index + 1}`}
              onClick={() => change(exit.toSpliced(index, 1))}
            >
              Remove
            </Button>
          </div>
          {!('unsubscribed' in each) && (
            <Checkbox
              label="This is the goal"
              isChecked={each.as === 'goal'}
              onChange={(isOn) => change(exit.with(index, withGoal(each, isOn)))}
            />
          )}
        </div>
      ))}
      <div className="row">
        <Button isSmall onClick={() => change([...exit, { event: '' }])}>
          + Event
        </Button>
        <Button isSmall onClick={() => change([...exit, { segment: '', when: 'leaves' }])}>
          + Segment
        </Button>
        <Button isSmall onClick={() => change([...exit, { unsubscribed: 'EMAIL' }])}>
          + Unsubscribes
        </Button>
      </div>
      {exit.some((each) => goalOf(each) === 'goal') && (
        <div className="grid narrow">
          <DurationFields
            label="The goal counts after the last step for"
            pointer="/goalWindow"
            duration={goalWindow ?? GOAL_WINDOW}
            onChange={(next) => set({ goalWindow: next })}
          />
        </div>
      )}
    </>
  );
}
