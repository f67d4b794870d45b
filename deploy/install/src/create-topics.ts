import { openBus, type BusSettings } from '@tidings/bus';
import { LOG_TOPIC_SPECS, TOPIC_SPECS } from '@tidings/contracts/topics';
import { ensureTopics } from '@tidings/partitioned-log/topics';
import type { Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

export type TopicOptions = {
  readonly logger: Logger;
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
};

/**
 * Creates missing topics of the bus and updates the settings of existing ones. Does not change
 * partitions.
 */
export async function createTopics(
  config: BusSettings,
  { logger, ...replication }: TopicOptions,
): Promise<void> {
  const bus = openBus(config, { logger, service: 'install' });
  try {
    await bus.admin.ensureTopics(TOPIC_SPECS, replication);
  } finally {
    await bus.disconnect();
  }
}

/** The same for the topics that are in Postgres with either bus. The database is migrated. */
export function createLogTopics(db: Database): Promise<void> {
  return ensureTopics(db, LOG_TOPIC_SPECS, { isBus: false });
}
