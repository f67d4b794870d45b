import { askRetention } from '@tidings/analytics/ask-retention';
import { readRetention, type AskedRetention } from '@tidings/analytics/read-retention';
import { listRetentionPeople } from '@tidings/analytics/retention-people';
import type { PageQuery } from '@tidings/api-spec/schemas';
import type { RetentionPeriod } from '@tidings/contracts/analytics/trends';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Response } from 'express';
import { listStartsWithNext } from '../../charts/chart-steps.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { invalid } from '../../http/analytics-questions.ts';
import { createPeriodQuestions } from '../../http/period-questions.ts';

type Asked = AskedRetention & {
  readonly period: RetentionPeriod;
  readonly periods: number;
  readonly first?: 'range' | 'ever' | undefined;
  readonly unbounded?: boolean | undefined;
};

/** Questions about retention. They store nothing. */
export function createRetentionQuestions(deps: ApiDependencies) {
  const questions = createPeriodQuestions(
    deps,
    'fewer persons who start: a shorter range, or a first event that fewer do',
  );
  const read = async (res: Response, asked: Asked) => {
    const { question, context, timeZone, warnings } = await questions.read(
      res,
      asked,
      readRetention,
    );
    const { from, to, period: step, periods, first, unbounded: isUnbounded = false } = asked;
    const starts = listStartsWithNext({ from, to, step, timeZone }, periods);
    const isFirstEver = first === 'ever';
    const { memoryMiB } = deps.questions;
    const of = { context, from, to, starts, periods, isFirstEver, isUnbounded, memoryMiB };
    return { retention: { ...question, ...of }, timeZone, warnings };
  };
  return {
    async ask(res: Response, asked: Asked) {
      const startedAt = deps.clock.now();
      const { retention, timeZone, warnings } = await read(res, asked);
      return questions.answer(res, startedAt, async (sql, now) => {
        const cohorts = await askRetention(sql, { ...retention, now });
        const { starts } = retention;
        const partialFrom =
          starts.slice(0, -1).find((_, index) => Number(starts[index + 1]) > now) ?? null;
        return { timeZone, cohorts, partialFrom, warnings };
      });
    },
    /** A page of the people of one number. */
    async listPeople(
      res: Response,
      asked: Asked,
      {
        query,
        cohort: at,
        cell,
      }: {
        readonly query: PageQuery;
        readonly cohort: number;
        readonly cell: number | undefined;
      },
    ) {
      const { retention } = await read(res, asked);
      const cohort = retention.starts.slice(0, -retention.periods).indexOf(at);
      const faults: FieldError[] = [
        ...(cohort < 0
          ? [
              {
                pointer: '/cohort',
                code: 'invalid_value' as const,
                expected: 'where a cohort begins',
              },
            ]
          : []),
        ...(cell !== undefined && cell >= retention.periods
          ? [
              {
                pointer: '/cell',
                code: 'out_of_range' as const,
                expected: `at most ${retention.periods - 1}`,
              },
            ]
          : []),
      ];
      if (faults.length > 0) throw invalid(faults);
      const part = { cohort, ...(cell !== undefined && { cell }) };
      return questions.listPeople(res, query, (sql, now, page) =>
        listRetentionPeople(sql, { ...retention, now, part }, page),
      );
    },
  };
}
