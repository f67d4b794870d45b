import type { Comparison, ConditionInstant } from '@tidings/contracts/segments/leaves/parts';
import type { ConditionContext } from '../condition-context.ts';
import { toMs } from '../durations.ts';
import type { FoldedLeaves } from './folded-leaves.ts';
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
  /** Of whom leaves about funnels are true. */
  readonly folded?: FoldedLeaves;
  /** Whether leaves say when time alone may change their answer. Of given users only. */
  readonly hasRechecks?: boolean;
};

/** SQL of a leaf: true or false, never null; and in `explain` its evidence, a jsonb value. */
export type CompiledLeaf = {
  readonly truth: string;
  readonly evidence: string;
  /**
   * Instants in milliseconds, each later than now or null. Before the first of them time alone does
   * not change the answer. Absent: it never does, or was not asked.
   */
  readonly rechecks?: readonly string[];
};

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

/** SQL: an instant if it is later than now, otherwise null. */
export const later = ({ parameters, now }: StatementParts, instant: string): string =>
  `(select i.at from (values (${instant})) as i(at) where i.at > ${parameters.add(now, 'bigint')})`;

/** A bound of `before` or `after`: both are exclusive. A relative one moves with now. */
export type InstantBound = {
  readonly operator: '<' | '>';
  readonly at: number;
  readonly isRelative: boolean;
};

export function instantBounds({ before, after }: Comparison, now: number): InstantBound[] {
  const bound = (operator: '<' | '>', moment: ConditionInstant | undefined): InstantBound[] =>
    moment === undefined
      ? []
      : [{ operator, at: toInstant(moment, now), isRelative: typeof moment !== 'number' }];
  return [...bound('<', before), ...bound('>', after)];
}
