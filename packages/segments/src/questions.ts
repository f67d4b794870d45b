import { Counter, systemClock, type Clock } from '@tidings/platform';
import { boundTransactions } from '@tidings/postgres/bound-transactions';
import type { Database, Sql } from '@tidings/postgres/database';
import { askUsers, USERS_TIMEOUT_MS } from './ask-users.ts';
import { createDraws, type Draw } from './draws.ts';
import { estimateMembers, type Estimate } from './estimate.ts';
import { FOLD_MEMORY_MIB } from './fold-config.ts';
import type { Question } from './members.ts';
import { countParts, type PartCount } from './parts.ts';
import {
  createQuestionQueue,
  isUnanswered,
  QUESTION_DEFAULTS,
  WAITERS_MAX,
  WAITERS_OF_APPLICATION_MAX,
  type QuestionQueue,
  type QuestionQueueOptions,
  type Unanswered,
} from './question-queue.ts';
import { createTurns } from './question-turns.ts';

const userQuestionsTotal = new Counter({
  name: 'tidings_user_questions_total',
  help: 'Questions about few users: estimates, explanations, previews. By outcome: answered, timed_out, busy (rejected), failed.',
  labelNames: ['outcome'] as const,
});
const OUTCOMES = ['answered', 'timed_out', 'busy', 'failed'] as const;

/** Each holds a connection, and the API answers everything else with the others. */
const USER_QUESTION_PLACES = 4;
const PLACES_OF_APPLICATION = 2;
/** People wait for these answers while they type. */
const WAIT_MS = 5_000;
/** All statements of a question together. */
const TOTAL_MS = 10_000;

export type EstimateAnswer = {
  readonly estimate: Estimate;
  /** The moment of the answer, in milliseconds. */
  readonly now: number;
  /** Without the wait for others. */
  readonly tookMs: number;
};

/** Questions of callers. Those about all users wait in one queue, those about few in another. */
export type Questions = QuestionQueue & {
  /** For the persons of one question about all users. */
  readonly memoryMiB: number;
  /** From a few users. */
  estimate(asked: Omit<Question, 'now'>): Promise<EstimateAnswer | Unanswered>;
  /** From the same users: of each condition of a group by itself. */
  countParts(asked: Omit<Question, 'now'>): Promise<readonly PartCount[] | Unanswered>;
  /** From drawn users of an application. */
  askDrawn<T>(
    applicationId: string,
    work: (sql: Sql, drawn: Draw, now: number) => Promise<T>,
  ): Promise<T | Unanswered>;
  /** A question about few users. */
  askUsers<T>(
    applicationId: string,
    work: (sql: Sql, now: number) => Promise<T>,
  ): Promise<T | Unanswered>;
  /** Work that asks questions about few users by itself. Its transactions have a bound. */
  withPlace<T>(applicationId: string, work: (db: Database) => Promise<T>): Promise<T | 'busy'>;
};

export type QuestionsOptions = QuestionQueueOptions & {
  /** Questions about few users at a time in this process. */
  readonly userPlaces: number;
  readonly memoryMiB: number;
};

export const QUESTIONS_DEFAULTS: QuestionsOptions = {
  ...QUESTION_DEFAULTS,
  userPlaces: USER_QUESTION_PLACES,
  memoryMiB: FOLD_MEMORY_MIB,
};

export function createQuestions(
  db: Database,
  { userPlaces, memoryMiB, ...options }: QuestionsOptions = QUESTIONS_DEFAULTS,
  clock: Clock = systemClock,
): Questions {
  // Prometheus does not see the increment that creates a series.
  for (const outcome of OUTCOMES) userQuestionsTotal.inc({ outcome }, 0);
  const draw = createDraws(clock);
  const turns = createTurns({
    places: userPlaces,
    // With few connections too, another application finds a place.
    placesOfApplication: Math.max(1, Math.min(userPlaces - 1, PLACES_OF_APPLICATION)),
    waitersMax: WAITERS_MAX,
    waitersOfApplicationMax: WAITERS_OF_APPLICATION_MAX,
    waitMs: WAIT_MS,
  });
  const bounded = boundTransactions(
    db,
    { totalMs: TOTAL_MS, statementMs: USERS_TIMEOUT_MS },
    clock,
  );

  const withPlace: Questions['withPlace'] = async (applicationId, work) => {
    try {
      const answer = await turns.take(applicationId, () => work(bounded));
      userQuestionsTotal.inc({ outcome: isUnanswered(answer) ? answer : 'answered' });
      return answer;
    } catch (error) {
      userQuestionsTotal.inc({ outcome: 'failed' });
      throw error;
    }
  };
  const askFew: Questions['askUsers'] = (applicationId, work) =>
    withPlace(applicationId, (own) => askUsers(own, work));
  const askDrawn = <T>(
    applicationId: string,
    work: (sql: Sql, drawn: Draw, now: number) => Promise<T>,
  ) => askFew(applicationId, async (sql, now) => work(sql, await draw(sql, applicationId), now));
  return {
    ...createQuestionQueue(db, options),
    memoryMiB,
    withPlace,
    askUsers: askFew,
    askDrawn,
    countParts: (asked) =>
      askDrawn(asked.context.applicationId, (sql, drawn, now) =>
        countParts(sql, { ...asked, now }, drawn),
      ),
    estimate: (asked) =>
      askFew(asked.context.applicationId, async (sql, now) => {
        const beganAt = clock.monotonicMs();
        const drawn = await draw(sql, asked.context.applicationId);
        const estimate = await estimateMembers(sql, { ...asked, now }, drawn);
        return { estimate, now, tookMs: clock.monotonicMs() - beganAt };
      }),
  };
}
