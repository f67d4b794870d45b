import type { ErrorRequestHandler } from 'express';
import { AppError } from '../app-error.ts';
import type { Logger } from '../logger.ts';

export type StoreErrors = {
  /** Whether an error means that the store cannot be reached. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** As callers and the log name it: "database". */
  readonly name: string;
  readonly retryAfterSeconds: number;
  readonly logger: Logger;
};

/** While a store is away nothing can be read or noted: 503, which says when to try again. */
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
    logger.warn({ err: error }, `${name} is away`);
    next(
      new AppError('unavailable', `The ${name} cannot be reached right now. Try again.`, {
        cause: error,
        retryAfterSeconds,
      }),
    );
  };
}
