import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { TrendPart } from '../compile/trend-people.ts';
import type { TrendQuestion } from './read-trend.ts';

/** A number of a trend, as it came: of a series, a point and a group; without them of all. */
export type AskedTrendPart = {
  readonly index?: number | undefined;
  readonly at?: number | undefined;
  readonly group?: unknown;
  readonly others?: boolean | undefined;
};

/** @param starts where points begin */
export function readTrendPart(
  { index = 0, at, group, others = false }: AskedTrendPart,
  { series, breakdown }: TrendQuestion,
  starts: readonly number[],
):
  | { readonly series: TrendQuestion['series'][number]; readonly part: TrendPart }
  | { readonly errors: readonly FieldError[] } {
  const point = at === undefined ? undefined : starts.indexOf(at);
  const named = series[index];
  const fault = (pointer: string, code: FieldError['code'], expected: string) => ({
    errors: [{ pointer, code, expected }],
  });
  if (named === undefined) return fault('/index', 'out_of_range', `at most ${series.length - 1}`);
  if (point === -1) return fault('/at', 'invalid_value', 'the start of a point');
  if (breakdown === null) {
    if (group !== undefined) return fault('/group', 'invalid_value', 'no group without breakdown');
    if (others) return fault('/others', 'invalid_value', 'no others without breakdown');
  }
  if (others && group !== undefined) return fault('/others', 'exactly_one_of', 'group or others');
  if (!isStorable(group, LIMITS.messageDepthMax))
    return fault('/group', 'invalid_value', 'a value of a group');
  return {
    series: named,
    part: {
      ...(point !== undefined && { point }),
      ...(group !== undefined && { group: { value: group } }),
      ...(others && { group: 'others' }),
    },
  };
}

/** Whether a value may be that of an event or a user. */
function isStorable(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return (
    levels > 0 &&
    Object.entries(value).every(
      ([key, item]) => isStorable(key, levels) && isStorable(item, levels - 1),
    )
  );
}
