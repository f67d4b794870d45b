import { systemClock, type Clock } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { askUsers } from './ask-users.ts';
import { createDraws } from './draws.ts';
import { estimateMembers, type Estimate } from './estimate.ts';
import type { Question } from './members.ts';
import {
  createQuestionQueue,
  QUESTION_DEFAULTS,
  type QuestionQueue,
  type QuestionQueueOptions,
} from './question-queue.ts';

/** Questions about all users of an application: exact ones wait in a queue. */
export type Questions = QuestionQueue & {
  /** From a few users. `now`: the moment of the answer, in milliseconds. */
  estimate(
    asked: Omit<Question, 'now'>,
  ): Promise<{ readonly estimate: Estimate; readonly now: number } | 'timed_out'>;
};

export function createQuestions(
  db: Database,
  options: QuestionQueueOptions = QUESTION_DEFAULTS,
  clock: Clock = systemClock,
): Questions {
  const draw = createDraws(clock);
  return {
    ...createQuestionQueue(db, options),
    estimate: (asked) =>
      askUsers(db, async (sql, now) => ({
        estimate: await estimateMembers(
          sql,
          { ...asked, now },
          await draw(sql, asked.context.applicationId),
        ),
        now,
      })),
  };
}
