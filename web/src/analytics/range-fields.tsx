import { DateTimeField } from '../ui/date-field.tsx';
import type { Filters } from '../ui/filters.ts';
import { Select } from '../ui/select.tsx';
import { useNow } from '../lib/now.ts';
import {
  findRange,
  localText,
  rangeBetween,
  rangesOf,
  rangeUpToNow,
  type LastRange,
  type Period,
  type Range,
} from '../ui/calendar-range.ts';

type RangeName = 'range' | 'from' | 'to';
const DATES = 'dates';

/** The range of an address; `range` is null until two dates are whole. `last`: it goes up to now. */
export function useRange(
  filters: Filters<RangeName>,
  { period, timeZone }: { readonly period: Period; readonly timeZone: string | null },
): { readonly range: Range | null; readonly last: LastRange | null } {
  const now = useNow();
  if (timeZone === null) return { range: null, last: null };
  if (filters.get('range') === DATES)
    return { range: rangeBetween(filters.get('from'), filters.get('to'), timeZone), last: null };
  const last = findRange(filters.get('range'), period);
  return { range: rangeUpToNow(last, { now, timeZone, period }), last };
}

/** Chooses the last days, or two dates. */
export function RangeFields({
  filters,
  period,
  timeZone,
  range,
}: {
  readonly filters: Filters<RangeName>;
  readonly period: Period;
  readonly timeZone: string;
  readonly range: Range | null;
}) {
  const areDates = filters.get('range') === DATES;
  const choose = (value: string): void =>
    filters.change({
      range: value,
      from: value === DATES && range !== null ? localText(range.from, timeZone) : '',
      to: value === DATES && range !== null ? localText(range.to, timeZone) : '',
    });
  return (
    <>
      <Select
        label="Range"
        value={areDates ? DATES : findRange(filters.get('range'), period).value}
        options={[...rangesOf(period), { value: DATES, label: 'between two dates' }]}
        onChange={choose}
      />
      {areDates && (
        <>
          <DateTimeField label="From" pointer="/from" {...filters.field('from')} />
          <span className="word">to</span>
          <DateTimeField label="To" pointer="/to" {...filters.field('to')} />
        </>
      )}
    </>
  );
}
