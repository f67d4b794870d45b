import { AppError, retryAfterSeconds } from '@tidings/platform';

/** The 503 of an overloaded process. */
export function overloadedError(): AppError {
  return new AppError('unavailable', 'The server is overloaded. Try again.', {
    retryAfterSeconds: retryAfterSeconds(),
  });
}
