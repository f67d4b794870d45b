import { ApiError, ConnectionError, httpStatus } from './problem.ts';

const READ_RETRIES_MAX = 2;
const QUESTION_RETRIES_MAX = 1;
/** A person does not wait longer for something to happen. */
const DELAY_MAX_MS = 10_000;
const FIRST_DELAY_MS = 1_000;

/** A read is repeated where that may succeed without a change: no connection, 503, too many requests. */
export const retriesRead = (failures: number, error: Error): boolean =>
  failures < READ_RETRIES_MAX && (error instanceof ConnectionError || isBusy(error));

/** A question costs the service more: it is repeated once, if the service says when. */
export const retriesQuestion = (failures: number, error: Error): boolean =>
  failures < QUESTION_RETRIES_MAX &&
  isBusy(error) &&
  error instanceof ApiError &&
  error.retryAfterMs !== null;

/** The service is not free for it right now; the same may succeed later. */
export function isBusy(error: unknown): boolean {
  const status = httpStatus(error);
  return status === 503 || status === 429;
}

/** When to repeat: as the service says, otherwise later each time. */
export function retryDelayMs(failures: number, error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : null;
  return Math.min(DELAY_MAX_MS, asked ?? FIRST_DELAY_MS * 2 ** failures);
}

/** `Retry-After` in milliseconds; null without one in seconds. */
export function readRetryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}
