import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createSettings } from '@tidings/folds/compile/settings';
import { isInPart, stateOf, type FunnelPart, type FunnelTimes } from '@tidings/folds/funnel-state';
import type { Fold } from '@tidings/folds/fold';
import {
  createMemory,
  TooManyPersons,
  TooManyPersonsOfCondition,
  type Memory,
} from '@tidings/folds/memory';
import { personArray } from '@tidings/folds/person-array';
import { boundTransactions } from '@tidings/postgres/bound-transactions';
import type { Database, Sql } from '@tidings/postgres/database';
import { systemClock } from '@tidings/platform';
import { foldFunnel, foldFunnelOf, type FunnelOf, type GivenUsers } from './compile/fold-funnel.ts';
import {
  foldKey,
  leafKey,
  type FoldedLeaf,
  type FoldedLeaves,
  type FunnelLeaf,
} from './compile/folded-leaves.ts';
import { toTimeRange } from './compile/time-range.ts';
import type { ConditionContext } from './condition-context.ts';
import { toMs } from './durations.ts';
import { funnelLeavesOf } from './segment-nesting.ts';

/** Conditions of one statement, at one moment. */
export type AskedConditions = {
  readonly context: ConditionContext;
  readonly conditions: readonly Condition[];
  /** Milliseconds. */
  readonly now: number;
};

/**
 * Folds the funnels that conditions name, of all persons. In one transaction that sees one moment.
 * @throws TooManyPersonsOfCondition
 */
export function foldLeaves(
  sql: Sql,
  asked: AskedConditions,
  memory: Memory,
): Promise<FoldedLeaves> {
  return foldEach(asked, async (of, leaves) => {
    const before = memory.used;
    // A statement that follows may have settings of its own.
    const settings = createSettings('f');
    const { fold, persons } = await foldFunnel(sql, { ...of, settings }, memory);
    const times = { fold, ...timesOf(of) };
    const folded = leaves.map((leaf): FoldedLeaf => {
      const part = partOf(leaf, of.funnel);
      const ids = personArray(persons, (person) => isInPart(times, part, person));
      memory.take(ids.length);
      return { ids, evidence: null };
    });
    // Of the fold only the ids are left.
    const kept = folded.reduce((sum, { ids }) => sum + ids.length, 0);
    memory.give(memory.used - before - kept);
    return folded;
  }).catch((error: unknown) => {
    // Who asks for the people of a condition has persons of their own, too.
    if (error instanceof TooManyPersons) throw new TooManyPersonsOfCondition();
    throw error;
  });
}

/** As `foldLeaves`, of given users: only their events are read. Of one user with evidence. */
export function foldLeavesOf(
  sql: Sql,
  asked: AskedConditions,
  users: GivenUsers,
): Promise<FoldedLeaves> {
  return foldEach(asked, async (of, leaves) => {
    const { ids, fold } = await foldFunnelOf(sql, of, users);
    const times = { fold, ...timesOf(of) };
    return leaves.map((leaf) => ({
      ids: ids.filter((_id, person) => isInPart(times, partOf(leaf, of.funnel), person)),
      evidence: ids.length === 1 ? evidenceOf(times) : null,
    }));
  });
}

/**
 * As `foldLeaves`, in a transaction of its own: for a statement in a transaction that does not see
 * one moment. None is begun for conditions without funnels.
 */
export async function foldLeavesApart(
  db: Database,
  asked: AskedConditions,
  {
    memoryMiB,
    timeoutMs,
    signal,
  }: {
    readonly memoryMiB: number;
    /** In all. */
    readonly timeoutMs: number;
    readonly signal?: AbortSignal;
  },
): Promise<FoldedLeaves> {
  if (leavesOf(asked).length === 0) return new Map();
  const bounded = boundTransactions(
    db,
    { totalMs: timeoutMs, statementMs: timeoutMs },
    systemClock,
  );
  return bounded.transaction(
    async (sql) => {
      await sql.query('set transaction isolation level repeatable read, read only');
      return foldLeaves(sql, asked, createMemory(memoryMiB));
    },
    { statementTimeoutMs: timeoutMs, ...(signal !== undefined && { signal }) },
  );
}

const leavesOf = ({ conditions, context }: AskedConditions): FunnelLeaf[] =>
  conditions.flatMap((condition) => funnelLeavesOf(condition, context.segments));

/** One fold for all leaves about one funnel and one time. */
async function foldEach(
  asked: AskedConditions,
  fold: (of: FunnelOf, leaves: readonly FunnelLeaf[]) => Promise<readonly FoldedLeaf[]>,
): Promise<FoldedLeaves> {
  const { context, now } = asked;
  const folded = new Map<string, FoldedLeaf>();
  for (const leaves of Map.groupBy(leavesOf(asked), foldKey).values()) {
    const [first] = leaves;
    if (first === undefined) continue;
    const different = [...new Map(leaves.map((leaf) => [leafKey(leaf), leaf])).values()];
    const funnel = funnelOf(first, context);
    const { after, until } = toTimeRange(first, now);
    // A funnel that was deleted since has no persons.
    const found =
      funnel === null
        ? different.map((): FoldedLeaf => ({ ids: [], evidence: null }))
        : await fold({ context, funnel, from: (after ?? 0) + 1, to: until + 1, now }, different);
    for (const [index, leaf] of different.entries())
      folded.set(leafKey(leaf), found[index] as FoldedLeaf);
  }
  return folded;
}

/** The funnel that a leaf names or is; null if there is none. */
const funnelOf = (
  { funnel }: Pick<FunnelLeaf, 'funnel'>,
  { funnels }: Pick<ConditionContext, 'funnels'>,
): FunnelDefinition | null => (typeof funnel === 'string' ? (funnels.get(funnel) ?? null) : funnel);

const timesOf = ({ funnel, now }: FunnelOf): FunnelTimes => ({
  steps: funnel.steps.length,
  windowMs: toMs(funnel.window),
  now,
});

/** A step beyond the last of a funnel that was changed since is reached by no person. */
const partOf = ({ state, step }: FunnelLeaf, { steps }: FunnelDefinition): FunnelPart => ({
  state,
  step: step ?? steps.length,
});

const evidenceOf = (times: FunnelTimes & { readonly fold: Fold }): FoldedLeaf['evidence'] => {
  const reached = times.fold.reached(0);
  return reached === 0 ? null : { reached, state: stateOf(times, 0) };
};
