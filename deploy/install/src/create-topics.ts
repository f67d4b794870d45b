import { openBus, type BusSettings } from '@tidings/bus';
import { TOPIC_SPECS } from '@tidings/contracts/topics';
import type { Logger } from '@tidings/platform';

export type TopicOptions = {
  readonly logger: Logger;
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
};

/** Creates missing topics and updates the settings of existing ones. Does not change partitions. */
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
