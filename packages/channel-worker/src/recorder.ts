import { settleDeliveries, type StateChange } from '@tidings/delivery/change-states';
import {
  backoffMs,
  createMicroBatcher,
  sleep,
  systemClock,
  type Clock,
  type Logger,
  type Timers,
} from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';

/** Writes outcomes in micro-batches. */
export interface Recorder {
  /** Resolves when the outcome is stored, or can never be. */
  record(change: StateChange): Promise<void>;
  /** Whether a slot may be released before its outcome is recorded. */
  canReleaseEarly(): boolean;
}

export type RecorderOptions = {
  /** Maximum sends in flight. As many outcomes may wait for a write whose slots were released before it. */
  readonly concurrency: number;
  readonly clock?: Clock & Timers;
};

const OUTCOMES_PER_WRITE_MAX = 100;
/** Two, so that the slots of one micro-batch send while the other is written. */
const WRITES_AT_A_TIME = 2;
/**
 * A second concurrent statement pays off only for many outcomes. Fewer outcomes wait some
 * milliseconds for the first.
 */
const SECOND_WRITE_MIN = 40;
/**
 * Outcomes that come one after another are written together: a statement costs as much as ten rows.
 * A third of the sends in flight do not wait: it is half of what a large campaign may have of them
 * (`send-slots.ts`), and the other half keeps the provider busy meanwhile; nor does an outcome after
 * a pause.
 */
const WRITE_INTERVAL_MS = 10;
const RETRY = { baseMs: 100, capMs: 2_000 };
const RETRY_WAIT_MIN_MS = 50;

/**
 * Never loses a known outcome: it retries while Postgres is away. If the process ends first, the
 * delivery becomes unknown when its lease ends. Outcomes that arrive during a write form the next
 * micro-batch.
 */
export function createRecorder(
  db: Database,
  logger: Logger,
  { concurrency, clock = systemClock }: RecorderOptions,
): Recorder {
  let inFlight = 0;
  const batcher = createMicroBatcher<StateChange, void>({
    run: write,
    // An outcome with invalid data must not fail the rest of its micro-batch.
    isOwnFault: (error) => dataErrorState(error) !== undefined,
    itemsMax: OUTCOMES_PER_WRITE_MAX,
    runsMax: WRITES_AT_A_TIME,
    overlapItemsMin: SECOND_WRITE_MIN,
    runIntervalMs: WRITE_INTERVAL_MS,
    enoughItems: Math.ceil(concurrency / 3),
    clock,
  });

  async function write(changes: readonly StateChange[]): Promise<void[]> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        // Up to two statements, each a transaction, or one of both and what automations wait for. A retry changes no row again: its state and fence
        // no longer match. A row may already be unknown if its lease ended first.
        await settleDeliveries(db, ['sending', 'unknown'], changes);
        return changes.map(() => undefined);
      } catch (error) {
        if (dataErrorState(error) !== undefined) throw error;
        logger.warn(
          { err: error, outcomes: changes.length },
          'outcomes could not be recorded, retrying',
        );
        await sleep(clock, RETRY_WAIT_MIN_MS + backoffMs(RETRY, attempt));
      }
    }
  }

  return {
    async record(change) {
      inFlight += 1;
      try {
        await batcher.add(change);
      } catch (error) {
        logger.error(
          { err: error, deliveryId: change.deliveryId },
          'outcome has invalid data, the delivery becomes unknown',
        );
      } finally {
        inFlight -= 1;
      }
    },
    canReleaseEarly: () => inFlight < concurrency,
  };
}
