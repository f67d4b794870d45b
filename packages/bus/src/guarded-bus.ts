import type { BusKind, BusState } from '@tidings/partitioned-log/state';
import { repeat, retry, type Logger } from '@tidings/platform';
import { isDatabaseUnavailable } from '@tidings/postgres/database';
import {
  BusRejectedError,
  BusUnavailableError,
  type Bus,
  type OutgoingRecord,
  type Producer,
  type RecordPosition,
} from './bus.ts';

export type GuardOptions = {
  /** The bus of this process. */
  readonly own: BusKind;
  readonly read: () => Promise<BusState>;
  readonly logger: Logger;
  /** Called once when the installation uses the other bus: this process must end. */
  readonly onMoved: () => void;
  readonly intervalMs?: number;
};

const GUARD_INTERVAL_MS = 3_000;
/** A consumer waits for Postgres, as it does later: a slow start of many services is no failure. */
const START_SCHEDULE = { attemptsMax: Infinity, baseMs: 250, capMs: 2_000 };

/** The installation uses another bus than this process. */
export class OtherBusError extends Error {
  constructor(own: BusKind, other: BusKind) {
    super(
      `BUS is ${own} here, but the records of this installation are in ${other}: set BUS=${other} for all services, or move the records (docs/operations/one-process.md)`,
    );
    this.name = 'OtherBusError';
  }
}

/**
 * Keeps a process on the bus of its installation: it does not start on another one, takes no records
 * while they move, and ends after a move. Otherwise services on two buses would not see each other's
 * records.
 */
export function guardBus(
  bus: Bus,
  { own, read, logger, onMoved, intervalMs = GUARD_INTERVAL_MS }: GuardOptions,
): Bus {
  const stopping = new AbortController();
  /** Undefined until the first answer. */
  let isAccepting: boolean | undefined;
  let isMoved = false;

  async function look(): Promise<void> {
    const state = await read();
    isAccepting = state.isAccepting;
    const { bus: other } = state;
    if (other === null || other === own || isMoved) return;
    isMoved = true;
    logger.error({ err: new OtherBusError(own, other) }, 'the records are in another bus');
    onMoved();
  }

  const looking = repeat(intervalMs, look, {
    signal: stopping.signal,
    // Without Postgres no record is taken either, and the last answer holds.
    onError: () => undefined,
  });

  async function lookNow(): Promise<void> {
    try {
      await look();
    } catch (error) {
      throw new BusUnavailableError('the bus of the installation is not known now', {
        cause: error,
      });
    }
  }

  function checkAccepting(cause?: unknown): void {
    if (isMoved || isAccepting === false)
      throw new BusUnavailableError('the records of this installation are being moved', { cause });
  }

  async function produce(
    producer: Producer,
    topic: string,
    records: readonly OutgoingRecord[],
  ): Promise<readonly RecordPosition[]> {
    if (isAccepting === undefined) await lookNow();
    checkAccepting();
    try {
      return await producer.produce(topic, records);
    } catch (error) {
      // A process that was frozen does not know yet that the topics were closed.
      if (error instanceof BusRejectedError) {
        await lookNow();
        checkAccepting(error);
      }
      throw error;
    }
  }

  return {
    ...bus,
    async producer() {
      const producer = await bus.producer();
      return {
        ...producer,
        produce: (topic, records) => produce(producer, topic, records),
      };
    },
    async consume(options) {
      const { bus: other } = await retry(START_SCHEDULE, read, {
        signal: stopping.signal,
        isRetryable: isDatabaseUnavailable,
      });
      if (other !== null && other !== own) throw new OtherBusError(own, other);
      return bus.consume(options);
    },
    async disconnect() {
      stopping.abort();
      await looking;
      await bus.disconnect();
    },
  };
}
