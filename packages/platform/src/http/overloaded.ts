import { AppError } from '../app-error.ts';
import { retryAfterSeconds } from '../retry.ts';

/** The 503 of a process that has enough to do. */
export function overloadedError(): AppError {
  return new AppError('unavailable', 'Too much is in work. Try again.', {
    retryAfterSeconds: retryAfterSeconds(),
  });
}
