import { TooManyPersons } from '@tidings/folds/memory';
import type { PageQuery } from '@tidings/api-spec/schemas';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { AppError } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { readConditionContext } from '@tidings/segments/segments';
import type { Response } from 'express';
import { getApplicationId } from '../auth/access.ts';
import { readTimeZone } from '../charts/read-time-zone.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { pageOfPeople } from '../queries/users/people-pages.ts';
import { readUserPage } from './page.ts';
import { answered } from './user-questions.ts';

/** A page of a file costs as much as its whole list: it has many rows. */
export const CSV_PAGE_ROWS = 50_000;
const SLOW = 'The answer took too long. Choose a shorter range, or retry.';

type Asked = { readonly timeZone?: string | undefined };
type Read<T> =
  | { readonly ok: true; readonly question: T; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Questions about periods of a time zone. They store nothing. */
export function createPeriodQuestions({ db, questions, clock }: ApiDependencies) {
  /** @throws AppError `validation_failed` */
  const read = async <A extends Asked, T>(
    res: Response,
    asked: A,
    readQuestion: (asked: A, context: ConditionContext) => Read<T>,
  ) => {
    const applicationId = getApplicationId(res);
    const context = await readConditionContext(db.sql, applicationId);
    const result = readQuestion(asked, context);
    if (!result.ok) throw invalid(result.errors);
    const timeZone = asked.timeZone ?? (await readTimeZone(db, applicationId));
    return { context, timeZone, question: result.question, warnings: result.warnings };
  };
  const ask = async <T>(
    res: Response,
    work: (sql: Sql, now: number) => Promise<T>,
  ): Promise<readonly [T, asOf: number]> => {
    const result = answered(
      await questions.ask(getApplicationId(res), async (sql, now) =>
        Promise.resolve(work(sql, now)).then((value) => [value, now] as const, tooMuch),
      ),
      SLOW,
    );
    if ('errors' in result) throw invalid(result.errors);
    return result;
  };
  return {
    read,
    /** With when and how it was answered. */
    async answer<T extends object>(
      res: Response,
      startedAt: number,
      work: (sql: Sql, now: number) => Promise<T>,
    ) {
      const [result, asOf] = await ask(res, work);
      return { ...result, asOf, tookMs: clock.now() - startedAt, store: 'postgres' as const };
    },
    /** A page of the people of one number. */
    async listPeople(
      res: Response,
      query: PageQuery,
      list: (
        sql: Sql,
        now: number,
        page: { readonly cursor?: string; readonly limit: number },
      ) => Promise<string[]>,
    ) {
      const { limit, ...page } = readUserPage(query);
      const [members] = await ask(res, (sql, now) => list(sql, now, { ...page, limit: limit + 1 }));
      return pageOfPeople(db.sql, getApplicationId(res), { members, limit });
    },
  };
}

export const invalid = (errors: readonly FieldError[]): AppError =>
  new AppError('validation_failed', 'The question is not valid.', { errors: [...errors] });

/** A question that is too large is one to change, not to repeat. */
function tooMuch(error: unknown): { readonly errors: readonly FieldError[] } {
  if (!(error instanceof TooManyPersons)) throw error;
  return {
    errors: [
      {
        pointer: '/from',
        code: 'too_many',
        expected: 'fewer persons who start: a shorter range, or a first event that fewer do',
      },
    ],
  };
}
