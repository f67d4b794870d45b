import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { firstAfter, movedAfter } from './ask.ts';
import type { Program } from './program.ts';
import type { Run } from './run.ts';
import { GOAL, postponed } from './to-step.ts';
import type { WrittenStep } from './write-steps.ts';

/** Looks whether runs that are past their last node have reached a goal in time. */
export async function countGoals(
  sql: Sql,
  of: { readonly program: Program; readonly context: ConditionContext; readonly now: number },
  runs: readonly Run[],
): Promise<WrittenStep[]> {
  const reached = new Set<string>();
  for (const named of of.program.definition.exit ?? []) {
    if (!('as' in named) || named.as !== 'goal') continue;
    if ('segment' in named) {
      const moved = await movedAfter(sql, of, { exit: named, runs });
      for (const { id, goalUntil } of runs)
        if ((moved.get(id) ?? Infinity) <= (goalUntil ?? of.now)) reached.add(id);
      continue;
    }
    const untilOf = ({ goalUntil }: Run): number => goalUntil ?? of.now;
    for (const id of (await firstAfter(sql, of, { named, runs, untilOf })).keys()) reached.add(id);
  }
  return runs.map((run) => goalStep(run, { isReached: reached.has(run.id), now: of.now }));
}

/** A run that is past its last node. */
export function goalStep(
  run: Run,
  { isReached, now }: { readonly isReached: boolean; readonly now: number },
): WrittenStep {
  const { goalUntil } = run;
  const step = { ...postponed(run, now), endedAt: run.endedAt, goalUntil };
  if (isReached)
    return {
      ...step,
      dueAt: null,
      goalAt: now,
      slugs: [],
      lines: [{ node: '', outcome: 'goal' }],
      counts: [GOAL],
    };
  // Woken by another event.
  if (goalUntil !== null && goalUntil > now) return { ...step, dueAt: goalUntil };
  return { ...step, dueAt: null, slugs: [] };
}
