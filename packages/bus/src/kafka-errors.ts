import { BusRejectedError, BusUnavailableError } from './bus.ts';

/** Errors of a broker that the same records always cause. */
const REJECTION_TYPES: readonly unknown[] = [
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TOPIC_EXCEPTION',
];

/**
 * Converts a kafkajs error. Anything that is not certainly a rejection may be temporary, so it
 * counts as unavailable.
 */
export function toBusError(error: unknown): BusUnavailableError | BusRejectedError {
  if (error instanceof BusUnavailableError || error instanceof BusRejectedError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return isRejection(error)
    ? new BusRejectedError(message, { cause: error })
    : new BusUnavailableError(message, { cause: error });
}

function isRejection(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('type' in at && REJECTION_TYPES.includes(at.type)) return true;
  }
  return false;
}

/**
 * Whether a broker sent this error. The connection then works, and another client would get the
 * same error.
 */
export function isAnswerOfBroker(error: unknown): boolean {
  if (error instanceof BusRejectedError) return true;
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('type' in at && typeof at.type === 'string') return true;
  }
  return false;
}

/**
 * Waits for `promise` for at most `timeoutMs`. Its later result is ignored.
 * @throws BusUnavailableError
 */
export async function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new BusUnavailableError('the broker did not respond in time')),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
