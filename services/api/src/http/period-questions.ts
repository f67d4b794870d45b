import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { readConditionContext } from '@tidings/segments/segments';
import type { Response } from 'express';
import { getApplicationId } from '../auth/access.ts';
import { readTimeZone } from '../charts/read-time-zone.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { createAnalyticsQuestions, invalid } from './analytics-questions.ts';

type Asked = { readonly timeZone?: string | undefined };
type Read<T> =
  | { readonly ok: true; readonly question: T; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Questions about periods of a time zone.
 * @param fewerPersons what to ask instead of a question with too many persons
 */
export function createPeriodQuestions(deps: ApiDependencies, fewerPersons: string) {
  const { db } = deps;
  return {
    ...createAnalyticsQuestions(deps, fewerPersons),
    /** @throws AppError `validation_failed` */
    async read<A extends Asked, T>(
      res: Response,
      asked: A,
      readQuestion: (asked: A, context: ConditionContext) => Read<T>,
    ) {
      const applicationId = getApplicationId(res);
      const context = await readConditionContext(db.sql, applicationId);
      const result = readQuestion(asked, context);
      if (!result.ok) throw invalid(result.errors);
      const timeZone = asked.timeZone ?? (await readTimeZone(db, applicationId));
      return { context, timeZone, question: result.question, warnings: result.warnings };
    },
  };
}
