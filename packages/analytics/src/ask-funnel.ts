import { createMemory } from '@tidings/folds/memory';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { toMs } from '@tidings/segments/durations';
import { countSteps, type FunnelStepResult } from './funnel-result.ts';
import { groupPersons, isInGroup, type AskedFunnel, type AskedGroup } from './group-persons.ts';

/** A question about a funnel. */
export type FunnelQuestion = AskedFunnel & { readonly memoryMiB: number };

export type FunnelGroup = { readonly value: unknown; readonly steps: readonly FunnelStepResult[] };

export type FunnelResult = {
  readonly steps: readonly FunnelStepResult[];
  /** With a breakdown: the largest groups, and those without a value. */
  readonly groups?: readonly FunnelGroup[];
  /** How many further values there are, and the persons with one of them. */
  readonly othersGroups?: number;
  readonly others?: readonly FunnelStepResult[] | null;
};

/** Answers in one transaction that sees one moment. @throws TooManyPersons, TooManyValues */
export async function askFunnel(sql: Sql, question: FunnelQuestion): Promise<FunnelResult> {
  const memory = createMemory(question.memoryMiB);
  const grouped = await groupPersons(sql, question, memory);
  const { fold, groupOf, values, largest, othersGroups } = grouped;
  const times = {
    steps: question.funnel.steps.length,
    windowMs: toMs(question.funnel.window),
    now: question.now,
  };
  const count = (group: AskedGroup | null) =>
    countSteps(fold, counted(groupOf, isInGroup(grouped, group)), times);
  const steps = count(null);
  if (question.breakdown === null) return { steps };
  return {
    steps,
    groups: [
      ...largest.map((group) => ({
        value: parseExactJson(values[group] ?? 'null'),
        steps: countSteps(
          fold,
          counted(groupOf, (each) => each === group),
          times,
        ),
      })),
      { value: null, steps: count({ value: null }) },
    ],
    othersGroups,
    others: othersGroups === 0 ? null : count({ others: true }),
  };
}

function* counted(
  groupOf: Int32Array,
  isCounted: (group: number) => boolean,
): Generator<number, void, undefined> {
  for (const [person, group] of groupOf.entries()) if (isCounted(group)) yield person;
}
