import { TooManyPersons, TooManyPersonsOfCondition, TooManyValues } from '@tidings/folds/memory';
import type { PageQuery } from '@tidings/api-spec/schemas';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { AppError } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import type { Unanswered } from '@tidings/segments/question-queue';
import type { Response } from 'express';
import { getApplicationId } from '../auth/access.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { pageOfPeople } from '../queries/users/people-pages.ts';
import { readUserPage } from './page.ts';
import { answered } from './user-questions.ts';

/** A page of a file costs as much as its whole list: it has many rows. */
export const CSV_PAGE_ROWS = 50_000;

type Page = { readonly cursor?: string; readonly limit: number };

/**
 * Questions about what people did. They store nothing.
 * @param fewerPersons what to ask instead of a question with too many persons
 */
export function createAnalyticsQuestions(
  { db, questions, clock }: ApiDependencies,
  fewerPersons: string,
) {
  const ask = async <T>(
    res: Response,
    work: (sql: Sql, now: number) => Promise<T>,
  ): Promise<readonly [T, asOf: number]> => {
    const result = inTime(
      await questions.ask(getApplicationId(res), async (sql, now) =>
        Promise.resolve(work(sql, now)).then((value) => [value, now] as const, tooMuch),
      ),
    );
    if ('errors' in result) throw invalid(result.errors);
    return result;
  };
  /** With when and how it was answered. */
  const answerOf = <T extends object>(
    result: T,
    { startedAt, asOf }: { readonly startedAt: number; readonly asOf: number },
  ) => ({ ...result, asOf, tookMs: clock.now() - startedAt, store: 'postgres' as const });
  return {
    answerOf,
    /** Of all users. */
    async answer<T extends object>(
      res: Response,
      startedAt: number,
      work: (sql: Sql, now: number) => Promise<T>,
    ) {
      const [result, asOf] = await ask(res, work);
      return answerOf(result, { startedAt, asOf });
    },
    /** A page of the people of one number. */
    async listPeople(
      res: Response,
      query: PageQuery,
      list: (sql: Sql, now: number, page: Page) => Promise<string[]>,
    ) {
      const { limit, ...page } = readUserPage(query);
      const [members] = await ask(res, (sql, now) => list(sql, now, { ...page, limit: limit + 1 }));
      return pageOfPeople(db.sql, getApplicationId(res), { members, limit });
    },
  };

  /** A question that is too large is one to change, not to repeat. */
  function tooMuch(error: unknown): { readonly errors: readonly FieldError[] } {
    const fault = (pointer: string, expected: string) => ({
      errors: [{ pointer, code: 'too_many' as const, expected }],
    });
    if (error instanceof TooManyPersonsOfCondition)
      return fault(
        '/segment',
        'fewer persons in its funnels: a shorter time in which they entered',
      );
    if (error instanceof TooManyPersons) return fault('/from', fewerPersons);
    if (error instanceof TooManyValues) return fault('/breakdown', 'a value that persons share');
    throw error;
  }
}

/** @throws AppError `unavailable` */
export const inTime = <T>(answer: T | Unanswered): T =>
  answered(answer, 'The answer took too long. Choose a shorter range, or retry.');

export const invalid = (errors: readonly FieldError[]): AppError =>
  new AppError('validation_failed', 'The question is not valid.', { errors: [...errors] });
