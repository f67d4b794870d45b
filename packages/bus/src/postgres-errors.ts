import { dataErrorState } from '@tidings/postgres/database';
import { BusRejectedError, BusUnavailableError } from './bus.ts';

/**
 * Converts an error of an append. Anything that the same records would not certainly cause again
 * counts as unavailable.
 */
export function toBusError(error: unknown): BusUnavailableError | BusRejectedError {
  if (error instanceof BusUnavailableError || error instanceof BusRejectedError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return dataErrorState(error) === undefined
    ? new BusUnavailableError(message, { cause: error })
    : new BusRejectedError(message, { cause: error });
}
