import { createKafkaBus, type Bus } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts';
import { createLogger } from '@tidings/platform';

/** Consumer groups of the ingest topic. */
export const INGEST_CONSUMERS = ['users-consumer', 'events-consumer'] as const;

/** Lag of the consumers of the ingest topic. */
export interface IngestLag {
  /** Remaining records of the slower group. */
  read(): Promise<number>;
  disconnect(): Promise<void>;
}

export function connectIngestLag(kafkaBrokers: string): IngestLag {
  const bus = connectBus(kafkaBrokers);
  return {
    async read() {
      const offsets = await bus.admin.topicOffsets(TOPICS.ingest);
      const lags = await Promise.all(
        INGEST_CONSUMERS.map(async (group) => {
          const committed = await bus.admin.committedOffsets(group, TOPICS.ingest);
          return [...offsets].reduce(
            (sum, [partition, { low, high }]) =>
              sum + Number(high - (committed.get(partition) ?? low)),
            0,
          );
        }),
      );
      return Math.max(...lags);
    },
    disconnect: () => bus.disconnect(),
  };
}

function connectBus(kafkaBrokers: string): Bus {
  return createKafkaBus({
    brokers: kafkaBrokers.split(','),
    clientId: 'bench',
    logger: createLogger('bench', 'error'),
    requestTimeoutMs: 5_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 1_000,
    handlerStallMs: 60_000,
  });
}
