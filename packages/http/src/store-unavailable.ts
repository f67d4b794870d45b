import { AppError, type Logger } from '@tidings/platform';
import type { ErrorRequestHandler } from 'express';

export type StoreErrors = {
  /** Whether an error means that the store is unreachable. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Name of the store in responses and logs: "database". */
  readonly name: string;
  readonly retryAfterSeconds: number;
  readonly logger: Logger;
};

/** Answers 503 with `Retry-After` while a store is unreachable. */
export function answerStoreUnavailable({
  isUnavailable,
  name,
  retryAfterSeconds,
  logger,
}: StoreErrors): ErrorRequestHandler {
  return (error: unknown, _req, _res, next) => {
    if (!isUnavailable(error)) {
      next(error);
      return;
    }
    logger.warn({ err: error }, `${name} is unavailable`);
    next(
      new AppError('unavailable', `The ${name} is unreachable right now. Try again.`, {
        cause: error,
        retryAfterSeconds,
      }),
    );
  };
}
