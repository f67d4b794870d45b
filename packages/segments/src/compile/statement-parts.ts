import type { Comparison, ConditionInstant } from '@tidings/contracts/segments/leaves/parts';
import type { ConditionContext } from '../condition-context.ts';
import { toMs } from '../durations.ts';
import type { Parameters } from './parameters.ts';

/**
 * Whom a statement is about. `all`: all users of the application; facts are aggregated once
 * and joined. `given`: few users; facts are looked up for each. `explain`: as `given`, with the
 * evidence.
 */
export type Shape = 'all' | 'given' | 'explain';

/** A statement about users `u`, while conditions add their parts. */
export type StatementParts = {
  readonly shape: Shape;
  readonly context: ConditionContext;
  readonly parameters: Parameters;
  /** The moment of the question, in milliseconds: one for all users. */
  readonly now: number;
  /** SQL: the id of the application. */
  readonly application: string;
  /** Joins of facts to `u`. None changes the number of rows. */
  readonly joins: string[];
};

/** SQL of a leaf: true or false, never null; and in `explain` its evidence, a jsonb value. */
export type CompiledLeaf = { readonly truth: string; readonly evidence: string };

/** Joins facts, and returns their alias. `sql` may use columns of `u` unless the shape is `all`. */
export function join(parts: StatementParts, sql: string): string {
  const alias = `f${parts.joins.length}`;
  parts.joins.push(
    parts.shape === 'all'
      ? `left join (${sql}) ${alias} on ${alias}.user_id = u.id`
      : `left join lateral (${sql}) ${alias} on true`,
  );
  return alias;
}

/** The instant of a comparison, in milliseconds. */
function toInstant(moment: ConditionInstant, now: number): number {
  if (typeof moment === 'number') return moment;
  return 'ago' in moment ? now - toMs(moment.ago) : now + toMs(moment.ahead);
}

/** Bounds of `before` and `after`; both are exclusive. */
export function instantBounds(
  { before, after }: Comparison,
  now: number,
): readonly { readonly operator: '<' | '>'; readonly at: number }[] {
  return [
    ...(before === undefined ? [] : [{ operator: '<' as const, at: toInstant(before, now) }]),
    ...(after === undefined ? [] : [{ operator: '>' as const, at: toInstant(after, now) }]),
  ];
}
