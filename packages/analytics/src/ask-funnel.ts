import type { FunnelBreakdown } from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { visitPersons, type AskedPersons } from '@tidings/folds/compile/read-persons';
import { createMemory, TooManyValues } from '@tidings/folds/memory';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { foldFunnel, type FunnelOf } from '@tidings/segments/compile/fold-funnel';
import { toMs } from '@tidings/segments/durations';
import { compilePersons } from './compile/funnel-persons.ts';
import { countSteps, type FunnelStepResult } from './funnel-result.ts';

/** A question about a funnel. */
export type FunnelQuestion = FunnelOf & {
  /** Whom it is about, as they are now; null: all. */
  readonly condition: Condition | null;
  readonly breakdown: FunnelBreakdown | null;
  /** Also persons who were never registered. */
  readonly hasVisitors: boolean;
  readonly memoryMiB: number;
};

export type FunnelGroup = { readonly value: unknown; readonly steps: readonly FunnelStepResult[] };

export type FunnelResult = {
  readonly steps: readonly FunnelStepResult[];
  /** With a breakdown: the largest groups, and those without a value. */
  readonly groups?: readonly FunnelGroup[];
  /** How many further values there are, and the persons with one of them. */
  readonly othersGroups?: number;
  readonly others?: readonly FunnelStepResult[] | null;
};

const GROUPS_MAX = 10;
/** Different values that are counted before the largest are known. */
const VALUES_MAX = 100_000;

/** Answers in one transaction that sees one moment. @throws TooManyPersons, TooManyValues */
export async function askFunnel(sql: Sql, question: FunnelQuestion): Promise<FunnelResult> {
  const memory = createMemory(question.memoryMiB);
  const { fold, persons, parts, settings } = await foldFunnel(sql, question, memory);
  const asked = compilePersons(parts, question);
  await settings.apply(sql);
  const { groupOf, values } = await readGroups(asked);
  const times = {
    steps: question.funnel.steps.length,
    windowMs: toMs(question.funnel.window),
    now: question.now,
  };
  const count = (isCounted: (group: number) => boolean) =>
    countSteps(fold, counted(groupOf, isCounted), times);
  const steps = count((group) => group !== NO_PERSON);
  if (question.breakdown === null) return { steps };

  const sizes = new Map<number, number>();
  for (const group of groupOf) if (group >= 0) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const largest = [...sizes]
    .toSorted(([a, n], [b, m]) => m - n || compareText(values[a] ?? '', values[b] ?? ''))
    .slice(0, GROUPS_MAX)
    .map(([group]) => group);
  const shown = new Set(largest);
  const othersGroups = sizes.size - shown.size;
  return {
    steps,
    groups: [
      ...largest.map((group) => ({
        value: parseExactJson(values[group] ?? 'null'),
        steps: count((each) => each === group),
      })),
      { value: null, steps: count((group) => group === NO_VALUE) },
    ],
    othersGroups,
    others: othersGroups === 0 ? null : count((group) => group >= 0 && !shown.has(group)),
  };

  /** The value of each person as a number; also who is no part of the question. */
  async function readGroups(of: AskedPersons) {
    memory.take(persons.size * Int32Array.BYTES_PER_ELEMENT);
    const groups = new Int32Array(persons.size).fill(NO_PERSON);
    const numbers = new Map<string, number>();
    const visit = (person: number, value: string | null): void => {
      if (value === null) {
        groups[person] = NO_VALUE;
        return;
      }
      let group = numbers.get(value);
      if (group === undefined) {
        if (numbers.size >= VALUES_MAX) throw new TooManyValues();
        group = numbers.size;
        numbers.set(value, group);
      }
      groups[person] = group;
    };
    await visitPersons(sql, persons, { ...of, visit });
    return { groupOf: groups, values: [...numbers.keys()] };
  }
}

const NO_PERSON = -2;
const NO_VALUE = -1;

function* counted(
  groupOf: Int32Array,
  isCounted: (group: number) => boolean,
): Generator<number, void, undefined> {
  for (let person = 0; person < groupOf.length; person += 1)
    if (isCounted(groupOf[person] ?? NO_PERSON)) yield person;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
