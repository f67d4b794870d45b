import { isDatabaseAway } from '@tidings/db';
import { AppError, type Logger } from '@tidings/platform';
import type { ErrorRequestHandler } from 'express';

const RETRY_AFTER_SECONDS = 5;

/** While Postgres is away nothing can be noted: 503, and the provider calls again. */
export function tellThatDatabaseIsAway(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, _res, next) => {
    if (!isDatabaseAway(error)) {
      next(error);
      return;
    }
    logger.warn({ err: error }, 'database is away');
    next(new AppError('unavailable', 'The database cannot be reached right now. Try again.', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS }));
  };
}
