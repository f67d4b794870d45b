import type { BusKind, BusState } from '@tidings/partitioned-log/state';
import { repeat, type Logger } from '@tidings/platform';
import { BusUnavailableError, type Bus, type Producer } from './bus.ts';

export type GuardOptions = {
  /** The bus of this process. */
  readonly own: BusKind;
  readonly read: () => Promise<BusState>;
  readonly logger: Logger;
  /** Called once when the installation uses the other bus: this process must end. */
  readonly onMoved: () => void;
  readonly intervalMs?: number;
};

/** A move waits longer than this, so that all producers know of it. */
export const GUARD_INTERVAL_MS = 3_000;

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

  async function firstLook(): Promise<void> {
    try {
      await look();
    } catch (error) {
      throw new BusUnavailableError('the bus of the installation is not known yet', {
        cause: error,
      });
    }
  }

  function guardProducer(producer: Producer): Producer {
    return {
      ...producer,
      async produce(topic, records) {
        if (isAccepting === undefined) await firstLook();
        if (isMoved || isAccepting === false)
          throw new BusUnavailableError('the records of this installation are being moved');
        return producer.produce(topic, records);
      },
    };
  }

  return {
    ...bus,
    producer: async () => guardProducer(await bus.producer()),
    async consume(options) {
      const { bus: other } = await read();
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
