import type { NumberRange } from '@tidings/contracts/segments/leaves/parts';
import { Select } from '../ui/select.tsx';
import { readBound, toRange, type Bound } from './bound.ts';
import { NumberField } from './comparison-fields.tsx';

const BOUNDS = [
  { value: 'gte', label: 'at least' },
  { value: 'lte', label: 'at most' },
  { value: 'exactly', label: 'exactly' },
];

/** A bound and its number. */
export function RangeFields({
  label,
  numberLabel,
  pointer,
  range,
  onChange,
}: {
  readonly label: string;
  readonly numberLabel: string;
  readonly pointer: string;
  readonly range: NumberRange;
  readonly onChange: (range: NumberRange) => void;
}) {
  const read = readBound(range) ?? { bound: 'gte' as const, limit: 1 };
  return (
    <>
      <Select
        label={label}
        value={read.bound}
        options={BOUNDS}
        onChange={(bound) => onChange(toRange({ ...read, bound: bound as Bound }))}
      />
      <NumberField
        label={numberLabel}
        pointer={pointer}
        value={read.limit}
        onChange={(limit) => onChange(toRange({ ...read, limit }))}
      />
    </>
  );
}
