import { changeDeliveryStates, type StateChange } from '@tidings/delivery/change-states';
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

/** Writes outcomes in small batches, each in one statement. */
export interface Recorder {
  /** Resolves when the outcome is durable, or can never be. */
  record(change: StateChange): Promise<void>;
  /** Whether an outcome may give its slot back before it is recorded. */
  canReleaseEarly(): boolean;
}

export type RecorderOptions = {
  /** Being recorded so many, none more may give its slot back before it is. */
  readonly earlyReleasesMax: number;
  readonly clock?: Clock & Timers;
};

const BATCH_MAX = 100;
/** Two, so that while one is written the slots of the other are at work. */
const BATCHES_AT_A_TIME = 2;
/** What a statement costs is mostly its own: the second is for many outcomes only, fewer wait some milliseconds for the first. */
const SECOND_BATCH_MIN = 40;
const RETRY = { baseMs: 100, capMs: 2_000 };
const RETRY_WAIT_MIN_MS = 50;

/**
 * An outcome that is known must not be lost: while Postgres is away it is tried again and again; if the process ends
 * first, the delivery becomes unknown when its lease ends. The next batch is what has gathered while others were written.
 */
export function createRecorder(
  db: Database,
  logger: Logger,
  { earlyReleasesMax, clock = systemClock }: RecorderOptions,
): Recorder {
  let inFlight = 0;
  const batcher = createMicroBatcher<StateChange, void>({
    run: write,
    // An outcome that Postgres refuses for its content must not keep the others from being written.
    isOwnFault: (error) => dataErrorState(error) !== undefined,
    itemsMax: BATCH_MAX,
    runsMax: BATCHES_AT_A_TIME,
    overlapItemsMin: SECOND_BATCH_MIN,
    clock,
  });

  async function write(changes: readonly StateChange[]): Promise<void[]> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        // One statement is one transaction. A row may be unknown already when its lease ended before we came.
        await changeDeliveryStates(db.sql, ['sending', 'unknown'], changes);
        return changes.map(() => undefined);
      } catch (error) {
        if (dataErrorState(error) !== undefined) throw error;
        logger.warn(
          { err: error, outcomes: changes.length },
          'outcomes could not be recorded, trying again',
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
          'outcome cannot be stored, the delivery becomes unknown',
        );
      } finally {
        inFlight -= 1;
      }
    },
    canReleaseEarly: () => inFlight < earlyReleasesMax,
  };
}
