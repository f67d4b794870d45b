import { retry } from '@tidings/platform';
import { isTransactionConflict } from './database.ts';

/** Short, jittered delays: the conflicting transaction is about to commit. */
const SCHEDULE = { attemptsMax: 5, baseMs: 20, capMs: 200 };

/**
 * Retries `work` after Postgres ended its transaction because of a conflict. `work` is a whole
 * transaction or one statement, so nothing of it was applied. `isAlsoRetryable` accepts further
 * errors.
 */
export function retryConflicts<T>(
  work: () => Promise<T>,
  isAlsoRetryable: (error: unknown) => boolean = () => false,
): Promise<T> {
  return retry(SCHEDULE, work, {
    isRetryable: (error) => isTransactionConflict(error) || isAlsoRetryable(error),
  });
}
