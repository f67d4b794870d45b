import { callerRateLimitedError } from '@tidings/access';
import { TooManyPersons } from '@tidings/folds/memory';
import { AppError } from '@tidings/platform';
import { isUnanswered, type Unanswered } from '@tidings/segments/question-queue';
import type { Response } from 'express';
import { getCallerId } from '../auth/access.ts';
import type { ApiDependencies } from '../dependencies.ts';

/** Busy and slow questions alike: a later one may find fewer waiting, or a warm cache. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Counts a question about few users against the rate of its caller.
 * @throws AppError `rate_limited`
 */
export function countQuestion(
  { questionRateOf }: Pick<ApiDependencies, 'questionRateOf'>,
  res: Response,
): void {
  const rate = questionRateOf(getCallerId(res));
  if (rate?.take() === false) throw callerRateLimitedError(rate, res, 'questions');
}

/**
 * The answer to a question about users.
 * @param slow what to do if it took too long
 * @throws AppError `unavailable`
 */
export function answered<T>(
  answer: T | Unanswered,
  slow = 'The answer took too long. Narrow the condition, or retry.',
): T {
  if (!isUnanswered(answer)) return answer;
  throw new AppError(
    'unavailable',
    answer === 'busy'
      ? 'Many questions about users wait right now. Try again in a few seconds.'
      : slow,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

/**
 * As `answered`, of a question about all users. A funnel of its condition may have more persons than
 * memory holds: that is one to change, not to repeat.
 * @throws AppError also `validation_failed`
 */
export async function answeredOfAll<T>(asking: Promise<T | Unanswered>): Promise<T> {
  const answer = await asking.catch((error: unknown) => {
    if (!(error instanceof TooManyPersons)) throw error;
    throw new AppError('validation_failed', 'The condition is not valid.', {
      errors: [
        {
          pointer: '/condition',
          code: 'too_many',
          expected: 'fewer persons in its funnels: a shorter time in which they entered',
        },
      ],
    });
  });
  return answered(answer);
}
