import type { NumberRange } from '@tidings/contracts/segments/leaves/parts';

/** Above it a limit saves nothing. */
const COUNT_LIMIT_MAX = 1_000_000;

/** How many rows decide about a count; null when a limit would save nothing. */
export function countLimit({ gt, gte, lt, lte }: NumberRange): number | null {
  const limit = Math.max(
    1,
    ...[gte, lt].flatMap((bound) => (bound === undefined ? [] : [Math.ceil(bound)])),
    ...[gt, lte].flatMap((bound) => (bound === undefined ? [] : [Math.floor(bound) + 1])),
  );
  return limit > COUNT_LIMIT_MAX ? null : limit;
}
