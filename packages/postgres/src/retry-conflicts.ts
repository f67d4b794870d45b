import { retry } from '@tidings/platform';
import { isTransactionConflict } from './database.ts';

/** Soon, and apart: whoever was in the way is about to commit. */
const SCHEDULE = { attemptsMax: 5, baseMs: 20, capMs: 200 };

/**
 * Does the work again when Postgres has ended its transaction for the sake of another one that writes the same rows. It is a
 * whole transaction, or a statement of its own: nothing of it has happened then. `isAlsoRetryable`: what else is such an end.
 */
export function retryConflicts<T>(
  work: () => Promise<T>,
  isAlsoRetryable: (error: unknown) => boolean = () => false,
): Promise<T> {
  return retry(SCHEDULE, work, {
    isRetryable: (error) => isTransactionConflict(error) || isAlsoRetryable(error),
  });
}
