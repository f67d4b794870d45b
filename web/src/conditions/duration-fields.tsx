import { TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { splitDuration, UNITS } from './duration.ts';

/** A whole number and its unit. */
export function DurationFields({
  label,
  pointer,
  duration,
  onChange,
}: {
  readonly label: string;
  readonly pointer: string;
  readonly duration: string;
  readonly onChange: (duration: string) => void;
}) {
  const { count, unit } = splitDuration(duration);
  return (
    <>
      <TextField
        label={label}
        pointer={pointer}
        type="number"
        min={1}
        step={1}
        value={count}
        onChange={(next) => onChange(`${next}${unit}`)}
      />
      <Select
        label="Unit"
        value={unit}
        options={UNITS}
        onChange={(next) => onChange(`${count}${next}`)}
      />
    </>
  );
}
