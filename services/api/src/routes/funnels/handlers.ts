import { askFunnelEndpoint } from '@tidings/api-spec/endpoints/funnels';
import { askFunnel, type FunnelResult } from '@tidings/analytics/ask-funnel';
import { TooManyPersons, TooManyValues } from '@tidings/analytics/memory';
import { readFunnelQuestion, type AskedFunnel } from '@tidings/analytics/read-question';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { AppError } from '@tidings/platform';
import { readConditionContext } from '@tidings/segments/segments';
import type { Response } from 'express';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { answered } from '../../http/user-questions.ts';

/** Funnels: how far people come in some steps. */
export function funnelRoutes(deps: ApiDependencies): Route[] {
  const { db, questions, clock, analyticsMemoryMiB } = deps;
  const ask = async (res: Response, asked: AskedFunnel) => {
    const startedAt = clock.now();
    const applicationId = getApplicationId(res);
    const context = await readConditionContext(db.sql, applicationId);
    const read = readFunnelQuestion(asked, context);
    if (!read.ok) throw invalid(read.errors);
    const { from, to, visitors: hasVisitors = false } = asked;
    const [result, asOf] = answered(
      await questions.ask(applicationId, async (sql, now) => {
        const question = { ...read.question, context, from, to, now, hasVisitors };
        const found = await askFunnel(sql, { ...question, memoryMiB: analyticsMemoryMiB }).catch(
          tooMuch,
        );
        return [found, now] as const;
      }),
      'The answer took too long. Choose a shorter range, or retry.',
    );
    if ('errors' in result) throw invalid(result.errors);
    return {
      ...result,
      warnings: read.warnings,
      asOf,
      tookMs: clock.now() - startedAt,
      store: 'postgres' as const,
    };
  };
  const routes = [defineRoute(askFunnelEndpoint, async ({ res, body }) => ask(res, body))];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}

const invalid = (errors: readonly FieldError[]): AppError =>
  new AppError('validation_failed', 'The question is not valid.', { errors: [...errors] });

/** A question that is too large is one to change, not to repeat. */
function tooMuch(error: unknown): FunnelResult | { readonly errors: readonly FieldError[] } {
  if (error instanceof TooManyPersons)
    return {
      errors: [
        {
          pointer: '/from',
          code: 'too_many',
          expected: 'fewer persons who enter: a shorter range, or a first step that fewer reach',
        },
      ],
    };
  if (error instanceof TooManyValues)
    return {
      errors: [{ pointer: '/breakdown', code: 'too_many', expected: 'a value that persons share' }],
    };
  throw error;
}
