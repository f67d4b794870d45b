import { BusRejectedError, BusUnavailableError } from './bus.ts';

/** Answers of a broker that the same records will get every time. */
const REFUSALS: readonly unknown[] = [
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TOPIC_EXCEPTION',
];

/** The port's error for one of kafkajs. Whatever is not surely a refusal may pass, so it counts as unavailable. */
export function toBusError(error: unknown): BusUnavailableError | BusRejectedError {
  if (error instanceof BusUnavailableError || error instanceof BusRejectedError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return isRefusal(error)
    ? new BusRejectedError(message, { cause: error })
    : new BusUnavailableError(message, { cause: error });
}

function isRefusal(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('type' in at && REFUSALS.includes(at.type)) return true;
  }
  return false;
}

/** Whether a broker sent this error: then the connection works, and another client would be answered the same. */
export function isAnswerOfBroker(error: unknown): boolean {
  if (error instanceof BusRejectedError) return true;
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('type' in at && typeof at.type === 'string') return true;
  }
  return false;
}

/**
 * Waits for `promise`, not longer than `timeoutMs`; what becomes of it later is nobody's concern.
 * @throws BusUnavailableError
 */
export async function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new BusUnavailableError('no answer from the broker in time')),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
