import { createMemory } from '@tidings/folds/memory';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { toMs } from '@tidings/segments/durations';
import { createStepCounts, stepsOf, type FunnelStepResult } from './funnel-result.ts';
import { groupPersons, type AskedFunnel } from './group-persons.ts';
import { countByGroup } from './read-groups.ts';

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
  const { fold, values, othersGroups } = grouped;
  const times = {
    steps: question.funnel.steps.length,
    windowMs: toMs(question.funnel.window),
    now: question.now,
  };
  const { none, others, shown } = await countByGroup(grouped, () => createStepCounts(fold, times));
  const steps = stepsOf([none, others, ...shown.values()]);
  if (question.breakdown === null) return { steps };
  return {
    steps,
    groups: [
      ...[...shown].map(([group, counts]) => ({
        value: parseExactJson(values[group] ?? 'null'),
        steps: stepsOf([counts]),
      })),
      { value: null, steps: stepsOf([none]) },
    ],
    othersGroups,
    others: othersGroups === 0 ? null : stepsOf([others]),
  };
}
