import { EVENT_CURRENCIES } from '@tidings/contracts/currencies';
import { useRead } from '../../api/queries.ts';
import type { TrendMeasure } from '@tidings/contracts/analytics/trends';
import type { TrendQuestion } from '../../api/analytics.ts';
import type { Revenue } from '../../api/types.ts';
import { formatCount, formatMoney } from '../../lib/format.ts';
import type { Option } from '../../ui/options.ts';

/** How the numbers of a series are written. */
export function writerOf({ series }: TrendQuestion, index: number): (value: number) => string {
  const measure = series[index]?.measure;
  return typeof measure === 'object'
    ? (value) => formatMoney(value, measure.sum)
    : (value) => formatCount(value);
}

const COUNTS: readonly Option[] = [
  { value: 'events', label: 'Events' },
  { value: 'users', label: 'People' },
];
const SUM = 'sum ';

export const measureValue = (measure: TrendMeasure): string =>
  typeof measure === 'object' ? `${SUM}${measure.sum}` : measure;

export function readMeasure(value: string): TrendMeasure {
  if (value.startsWith(SUM)) return { sum: value.slice(SUM.length) };
  return value === 'users' ? 'users' : 'events';
}

const DAYS = 365;

/** What can be counted of an event: of revenue also sums, the currencies that it has first. */
export function useMeasures(isRevenue: boolean): readonly Option[] {
  const { data } = useRead<Revenue>('revenue', {
    query: { step: 'day', points: DAYS },
    enabled: isRevenue,
    staleMs: Infinity,
  });
  if (!isRevenue) return COUNTS;
  const used = data?.currencies.map(({ currency }) => currency) ?? [];
  return [
    ...COUNTS,
    ...[...new Set([...used, ...EVENT_CURRENCIES])].map((currency) => ({
      value: `${SUM}${currency}`,
      label: `Revenue in ${currency}`,
    })),
  ];
}
