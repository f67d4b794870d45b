import type { Duration, EventWindow } from '@tidings/contracts/segments/leaves/parts';
import { Select } from '../ui/select.tsx';
import { windowText } from './describe-condition.ts';
import { DurationFields } from './duration-fields.tsx';

type Kind = 'within' | 'any' | 'fixed';

/** The last time up to now, any time, or the instants that a condition came with. */
export function WindowFields({
  pointer,
  window: { within, from, to },
  standard,
  needsOne = false,
  onChange,
}: {
  readonly pointer: string;
  readonly window: EventWindow;
  /** What it begins with. */
  readonly standard: Duration;
  /** Whether any time is no choice. */
  readonly needsOne?: boolean;
  /** Instants are left out by a choice of another time. */
  readonly onChange: (changes: {
    readonly [Key in keyof EventWindow]-?: EventWindow[Key] | undefined;
  }) => void;
}) {
  const isFixed = from !== undefined || to !== undefined;
  const kind: Kind = isFixed ? 'fixed' : within === undefined && !needsOne ? 'any' : 'within';
  const fixed = { value: 'fixed', label: windowText({ from, to } as EventWindow).trim() };
  const set = (next: Duration | undefined): void =>
    onChange({ within: next, from: undefined, to: undefined });
  return (
    <>
      <Select
        label="Time range"
        value={kind}
        options={[
          ...(isFixed ? [fixed] : []),
          { value: 'within', label: 'in the last' },
          ...(needsOne ? [] : [{ value: 'any', label: 'any time' }]),
        ]}
        onChange={(next) => next !== 'fixed' && set(next === 'any' ? undefined : standard)}
      />
      {kind === 'within' && (
        <DurationFields
          label="Last"
          pointer={`${pointer}/within`}
          duration={within ?? standard}
          onChange={set}
        />
      )}
    </>
  );
}
