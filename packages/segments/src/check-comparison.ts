import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { COMPARISON_GROUPS, type Comparison } from '@tidings/contracts/segments/leaves/parts';
import { checkDuration } from './check-duration.ts';

/** Exactly one operator, or one group of bounds. */
export function checkComparison(comparison: Comparison, pointer: string): FieldError[] {
  const groups = COMPARISON_GROUPS.filter((group) =>
    group.some((operator) => comparison[operator] !== undefined),
  );
  if (groups.length !== 1)
    return [
      {
        pointer,
        code: 'exactly_one_of',
        expected: `exactly one of ${COMPARISON_GROUPS.map((group) => group.join('/')).join(', ')}`,
      },
    ];
  return (['before', 'after'] as const).flatMap((operator) => {
    const moment = comparison[operator];
    if (typeof moment !== 'object') return [];
    const [[unit, duration] = ['', '']] = Object.entries(moment);
    return checkDuration(duration, `${pointer}/${operator}/${unit}`);
  });
}
