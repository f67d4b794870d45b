import { changeDeliveryStates, dataErrorState, type Database, type StateChange } from '@tidings/db';
import { backoffMs, sleep, systemClock, type Logger, type Timers } from '@tidings/platform';

/** Writes outcomes in small batches, each in one statement. */
export interface Recorder {
  /** Resolves when the outcome is durable, or can never be. */
  record(change: StateChange): Promise<void>;
}

const BATCH_MAX = 50;
const BATCH_WAIT_MS = 10;
const RETRY = { baseMs: 100, capMs: 2_000 };
const RETRY_WAIT_MIN_MS = 50;

/**
 * An outcome that is known must not be lost: while Postgres is away it is tried again and again; if the process ends
 * first, the delivery becomes unknown when its lease ends.
 */
export function createRecorder(db: Database, logger: Logger, timers: Timers = systemClock): Recorder {
  let queue: { readonly change: StateChange; readonly done: () => void }[] = [];
  let callOff: (() => void) | undefined;

  const flush = async (): Promise<void> => {
    callOff?.();
    callOff = undefined;
    const batch = queue;
    queue = [];
    await write(batch.map(({ change }) => change));
    for (const { done } of batch) done();
  };

  const write = async (changes: readonly StateChange[]): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        // One statement is one transaction. A row may be unknown already when its lease ended before we came.
        await changeDeliveryStates(db.sql, ['sending', 'unknown'], changes);
        return;
      } catch (error) {
        if (dataErrorState(error) !== undefined) return writeEach(changes, error);
        logger.warn({ err: error, outcomes: changes.length }, 'outcomes could not be recorded, trying again');
        await sleep(timers, RETRY_WAIT_MIN_MS + backoffMs(RETRY, attempt));
      }
    }
  };

  /** An outcome that Postgres refuses for its content must not keep the others from being written. */
  const writeEach = async (changes: readonly StateChange[], error: unknown): Promise<void> => {
    const [only] = changes;
    if (changes.length === 1) logger.error({ err: error, deliveryId: only?.deliveryId }, 'outcome cannot be stored, the delivery becomes unknown');
    else for (const change of changes) await write([change]);
  };

  return {
    record(change) {
      return new Promise((resolve) => {
        queue.push({ change, done: resolve });
        if (queue.length >= BATCH_MAX) void flush();
        else callOff ??= timers.after(BATCH_WAIT_MS, () => void flush());
      });
    },
  };
}
