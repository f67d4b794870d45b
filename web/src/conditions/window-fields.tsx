import type { Duration } from '@tidings/contracts/segments/leaves/parts';
import { Select } from '../ui/select.tsx';
import { DurationFields } from './duration-fields.tsx';

/** The last time up to now, or any time. */
export function WindowFields({
  pointer,
  within,
  standard,
  onChange,
}: {
  readonly pointer: string;
  readonly within: Duration | undefined;
  /** What it begins with. */
  readonly standard: Duration;
  readonly onChange: (within: Duration | undefined) => void;
}) {
  return (
    <>
      <Select
        label="Time range"
        value={within === undefined ? 'any' : 'within'}
        options={[
          { value: 'within', label: 'in the last' },
          { value: 'any', label: 'any time' },
        ]}
        onChange={(kind) => onChange(kind === 'any' ? undefined : standard)}
      />
      {within !== undefined && (
        <DurationFields
          label="Last"
          pointer={`${pointer}/within`}
          duration={within}
          onChange={onChange}
        />
      )}
    </>
  );
}
