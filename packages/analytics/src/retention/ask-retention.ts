import { visitPersons } from '@tidings/folds/compile/read-persons';
import { createMemory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import { foldRetention, type RetentionOf } from '../compile/fold-retention.ts';
import { compilePersons } from '../compile/funnel-persons.ts';

type RetentionCohort = {
  /** Where its period begins. */
  readonly at: number;
  readonly users: number;
  /** Of each cell; null: its period has not begun. */
  readonly returned: readonly (number | null)[];
  /** Of each cell: its period has begun and is not over. */
  readonly isPartial: readonly boolean[];
};

export type AskedRetentionOf = RetentionOf & { readonly memoryMiB: number };

/** Answers in one transaction that sees one moment. @throws TooManyPersons */
export async function askRetention(
  sql: Sql,
  question: AskedRetentionOf,
): Promise<RetentionCohort[]> {
  const { starts, periods, now, condition } = question;
  const memory = createMemory(question.memoryMiB);
  const { fold, persons, parts, settings } = await foldRetention(sql, question, memory);
  const cohorts = starts.slice(0, -periods).map((at, index) => ({
    at,
    users: 0,
    returned: Array.from({ length: periods }, (_, cell): number | null =>
      periodOf(question, index + cell).hasBegun ? 0 : null,
    ),
    isPartial: Array.from({ length: periods }, (_, cell) => {
      const { hasBegun, isOver } = periodOf(question, index + cell);
      return hasBegun && !isOver;
    }),
  }));
  const asked = await compilePersons(
    { sql, parts, memory },
    { condition, breakdown: null, hasVisitors: false },
  );
  await settings.apply(sql);
  await visitPersons(sql, persons, {
    ...asked,
    visit: (person) => {
      const cohort = cohorts[fold.cohortOf(person)];
      if (cohort === undefined) return;
      cohort.users += 1;
      for (let cell = 0; cell < periods; cell += 1) {
        const before = cohort.returned[cell];
        if (typeof before === 'number' && fold.hasReturned(person, cell))
          cohort.returned[cell] = before + 1;
      }
    },
  });
  return cohorts;

  function periodOf(of: RetentionOf, index: number) {
    const [begin = Number.POSITIVE_INFINITY, end = Number.POSITIVE_INFINITY] = of.starts.slice(
      index,
      index + 2,
    );
    return { hasBegun: begin <= now, isOver: end <= now };
  }
}
