import type { PageQuery } from '@tidings/api-spec/schemas';
import { askFunnel } from '@tidings/analytics/ask-funnel';
import { estimateFunnel } from '@tidings/analytics/estimate-funnel';
import { explainFunnel } from '@tidings/analytics/explain-person';
import {
  listFunnelPeople,
  readFunnelGroup,
  readFunnelPart,
} from '@tidings/analytics/funnel-people';
import { readFunnelQuestion, type AskedFunnel } from '@tidings/analytics/read-question';
import type { FunnelState } from '@tidings/contracts/analytics/funnels';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { TooManyPersons, TooManyValues } from '@tidings/folds/memory';
import { AppError } from '@tidings/platform';
import { readConditionContext } from '@tidings/segments/segments';
import type { Response } from 'express';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readUserPage } from '../../http/page.ts';
import { answered, countQuestion } from '../../http/user-questions.ts';
import { pageOfPeople } from '../../queries/users/people-pages.ts';

/** People wait for an estimate while they change the steps. */
const ESTIMATE_MS = 1_000;
const STORE = 'postgres' as const;
const SLOW = 'The answer took too long. Choose a shorter range, or retry.';

/** Questions about funnels. They store nothing. */
export function createFunnelQuestions(deps: ApiDependencies) {
  const { db, questions, clock } = deps;
  const read = async (res: Response, asked: AskedFunnel) => {
    const context = await readConditionContext(db.sql, getApplicationId(res));
    const question = readFunnelQuestion(asked, context);
    if (!question.ok) throw invalid(question.errors);
    const { from, to } = asked;
    const { memoryMiB } = questions;
    return {
      question: { ...question.question, context, from, to, memoryMiB },
      warnings: question.warnings,
    };
  };
  return {
    async ask(res: Response, asked: AskedFunnel) {
      const startedAt = clock.now();
      const { question, warnings } = await read(res, asked);
      const { visitors: hasVisitors = false } = asked;
      const [result, asOf] = answered(
        await questions.ask(getApplicationId(res), async (sql, now) => {
          const result = await askFunnel(sql, { ...question, now, hasVisitors }).catch(tooMuch);
          return [result, now] as const;
        }),
        SLOW,
      );
      if ('errors' in result) throw invalid(result.errors);
      return {
        ...result,
        warnings,
        asOf,
        tookMs: clock.now() - startedAt,
        store: STORE,
      };
    },
    /** A page of the people of one number. */
    async listPeople(
      res: Response,
      asked: AskedFunnel,
      {
        query,
        state,
        step,
        ...grouped
      }: {
        readonly query: PageQuery;
        readonly state: FunnelState | undefined;
        readonly step: number | undefined;
        /** Of the breakdown. */
        readonly group?: unknown;
        readonly others?: true | undefined;
      },
    ) {
      const applicationId = getApplicationId(res);
      const { limit, ...page } = readUserPage(query);
      const { question } = await read(res, asked);
      const part = readFunnelPart(
        { ...(state !== undefined && { state }), ...(step !== undefined && { step }) },
        question.funnel.steps.length,
      );
      if ('errors' in part) throw invalid(part.errors);
      const group = readFunnelGroup({ breakdown: asked.breakdown, ...grouped });
      if (group !== null && 'errors' in group) throw invalid(group.errors);
      const members = answered(
        await questions.ask(applicationId, (sql, now) =>
          listFunnelPeople(
            sql,
            { ...question, part, group, now },
            { ...page, limit: limit + 1 },
          ).catch(tooMuch),
        ),
        SLOW,
      );
      if ('errors' in members) throw invalid(members.errors);
      return pageOfPeople(db.sql, applicationId, { members, limit });
    },
    /** The numbers, from some users. */
    async estimate(res: Response, asked: AskedFunnel) {
      countQuestion(deps, res);
      const startedAt = clock.now();
      const { question, warnings } = await read(res, asked);
      const [estimated, asOf] = answered(
        await questions.askDrawn(getApplicationId(res), async (sql, drawn, now) => {
          const beganAt = clock.monotonicMs();
          const isOver = (): boolean => clock.monotonicMs() - beganAt > ESTIMATE_MS;
          return [await estimateFunnel(sql, { ...question, now }, { drawn, isOver }), now] as const;
        }),
        SLOW,
      );
      return { ...estimated, warnings, asOf, tookMs: clock.now() - startedAt, store: STORE };
    },
    /** How far one person came, and why no further. */
    async explain(res: Response, asked: AskedFunnel, customUserId: string) {
      countQuestion(deps, res);
      const { question } = await read(res, asked);
      const [explanation, asOf] = answered(
        await questions.askUsers(
          getApplicationId(res),
          async (sql, now) =>
            [await explainFunnel(sql, { ...question, now }, customUserId), now] as const,
        ),
        SLOW,
      );
      if (explanation === null)
        throw new AppError('not_found', 'No user with this customUserId is registered.');
      return { ...explanation, asOf };
    },
  };
}

const invalid = (errors: readonly FieldError[]): AppError =>
  new AppError('validation_failed', 'The question is not valid.', { errors: [...errors] });

/** A question that is too large is one to change, not to repeat. */
function tooMuch(error: unknown): { readonly errors: readonly FieldError[] } {
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
