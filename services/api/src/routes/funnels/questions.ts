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
import { AppError } from '@tidings/platform';
import { readConditionContext } from '@tidings/segments/segments';
import type { Response } from 'express';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { createAnalyticsQuestions, inTime, invalid } from '../../http/analytics-questions.ts';
import { countQuestion } from '../../http/user-questions.ts';

/** People wait for an estimate while they change the steps. */
const ESTIMATE_MS = 1_000;

/** Questions about funnels. They store nothing. */
export function createFunnelQuestions(deps: ApiDependencies) {
  const { db, questions, clock } = deps;
  const { answer, answerOf, listPeople } = createAnalyticsQuestions(
    deps,
    'fewer persons who enter: a shorter range, or a first step that fewer reach',
  );
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
      return answer(res, startedAt, async (sql, now) => ({
        ...(await askFunnel(sql, { ...question, now, hasVisitors })),
        warnings,
      }));
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
      const { question } = await read(res, asked);
      const part = readFunnelPart(
        { ...(state !== undefined && { state }), ...(step !== undefined && { step }) },
        question.funnel.steps.length,
      );
      if ('errors' in part) throw invalid(part.errors);
      const group = readFunnelGroup({ breakdown: asked.breakdown, ...grouped });
      if (group !== null && 'errors' in group) throw invalid(group.errors);
      return listPeople(res, query, (sql, now, page) =>
        listFunnelPeople(sql, { ...question, part, group, now }, page),
      );
    },
    /** The numbers, from some users. */
    async estimate(res: Response, asked: AskedFunnel) {
      countQuestion(deps, res);
      const startedAt = clock.now();
      const { question, warnings } = await read(res, asked);
      const [estimated, asOf] = inTime(
        await questions.askDrawn(getApplicationId(res), async (sql, drawn, now) => {
          const beganAt = clock.monotonicMs();
          const isOver = (): boolean => clock.monotonicMs() - beganAt > ESTIMATE_MS;
          return [await estimateFunnel(sql, { ...question, now }, { drawn, isOver }), now] as const;
        }),
      );
      return answerOf({ ...estimated, warnings }, { startedAt, asOf });
    },
    /** How far one person came, and why no further. */
    async explain(res: Response, asked: AskedFunnel, customUserId: string) {
      countQuestion(deps, res);
      const { question } = await read(res, asked);
      const [explanation, asOf] = inTime(
        await questions.askUsers(
          getApplicationId(res),
          async (sql, now) =>
            [await explainFunnel(sql, { ...question, now }, customUserId), now] as const,
        ),
      );
      if (explanation === null)
        throw new AppError('not_found', 'No user with this customUserId is registered.');
      return { ...explanation, asOf };
    },
  };
}
