import { askFunnel } from '@tidings/analytics/ask-funnel';
import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { createQuestionQueue, QUESTION_DEFAULTS } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import type { Asked } from '../segments/ask.ts';
import { rangeOf } from './funnels.ts';

export const MEMORY_MIB = 1_024;
const TIMEOUT_MS = 600_000;

/** Runs a question as the API does, without its bound of time. @throws unless it is answered */
export async function askAll<T>(
  { db, applicationId }: Pick<Asked, 'db' | 'applicationId'>,
  work: (sql: Sql, now: number) => Promise<T>,
): Promise<T> {
  const queue = createQuestionQueue(db, { ...QUESTION_DEFAULTS, timeoutMs: TIMEOUT_MS });
  const answer = await queue.ask(applicationId, work);
  if (answer === 'busy' || answer === 'timed_out')
    throw new Error(`A question was ${String(answer)}.`);
  return answer;
}

export type FunnelAsked = {
  readonly context: ConditionContext;
  readonly funnel: FunnelDefinition;
  readonly days: number;
  readonly now: number;
};

/** How many persons came to each step. */
export const countFunnel = (
  asked: Asked,
  { context, funnel, days, now }: FunnelAsked,
): Promise<readonly number[]> =>
  askAll(asked, async (sql) => {
    const { steps } = await askFunnel(sql, {
      context,
      funnel,
      ...rangeOf(now, days),
      now,
      condition: null,
      breakdown: null,
      hasVisitors: false,
      memoryMiB: MEMORY_MIB,
    });
    return steps.map(({ users }) => users);
  });

/** The numbers of a statement by hand: `numbers`, of the application `$1`, in `[$2, $3)`. */
export const countByHand = (
  asked: Asked,
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly number[]> =>
  askAll(asked, async (sql) => {
    const { rows } = await sql.query<{ numbers: number[] }>(text, [asked.applicationId, from, to]);
    return rows[0]?.numbers ?? [];
  });

export const readContext = ({ db, applicationId }: Asked): Promise<ConditionContext> =>
  readConditionContext(db.sql, applicationId);
