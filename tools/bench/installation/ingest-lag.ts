import { busConfig, openBus } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts/topics';
import type { LocalFile } from '@tidings/local';
import { createLogger, loadConfig } from '@tidings/platform';

/** Consumer groups of the ingest topic. */
export const INGEST_CONSUMERS = ['users-consumer', 'events-consumer'] as const;

/** Lag of the consumers of the ingest topic. */
export interface IngestLag {
  /** Remaining records of the slower group. */
  read(): Promise<number>;
  disconnect(): Promise<void>;
}

export function connectIngestLag({
  bus: kind,
  kafkaBrokers,
  databaseUrl,
}: Pick<LocalFile, 'bus' | 'kafkaBrokers' | 'databaseUrl'>): IngestLag {
  const config = loadConfig(busConfig, { BUS: kind, KAFKA_BROKERS: kafkaBrokers });
  const bus = openBus(
    { ...config, databaseUrl },
    { logger: createLogger('bench', 'error'), service: 'bench' },
  );
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
