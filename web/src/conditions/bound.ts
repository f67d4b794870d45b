import type { NumberRange } from '@tidings/contracts/segments/leaves/parts';

export type Bound = 'gte' | 'lte' | 'exactly';
/** A range as readers choose it. */
export type BoundedRange = { readonly bound: Bound; readonly limit: number };

/** A range that is one bound, or two equal ones; else null. */
export function readBound(range: NumberRange): BoundedRange | null {
  const { gte, lte, gt, lt } = range;
  if (gt !== undefined || lt !== undefined) return null;
  if (gte !== undefined && lte !== undefined)
    return Object.is(gte, lte) ? { bound: 'exactly', limit: gte } : null;
  if (gte !== undefined) return { bound: 'gte', limit: gte };
  return lte === undefined ? null : { bound: 'lte', limit: lte };
}

export const toRange = ({ bound, limit }: BoundedRange): NumberRange =>
  bound === 'exactly' ? { gte: limit, lte: limit } : { [bound]: limit };
