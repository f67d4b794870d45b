import { kafkaBusFrom, kafkaConfig } from '@tidings/bus';
import { TOPIC_SPECS } from '@tidings/contracts';
import { migrate } from '@tidings/db';
import { loadConfig, type Logger } from '@tidings/platform';
import { silently, type Addresses, type RunStep } from './stack/stack.ts';

export type PrepareOptions = { readonly logger: Logger; readonly runStep?: RunStep; readonly kafkaNodes?: number };

/** Brings the database to the newest version and creates the topics; both do nothing where nothing is missing. */
export async function prepareStores(addresses: Addresses, { logger, runStep = silently, kafkaNodes = 1 }: PrepareOptions): Promise<void> {
  await Promise.all([
    runStep('Migrate the database', () => migrate(addresses.databaseUrl)),
    runStep('Create topics', () => createTopics(addresses.kafkaBrokers, { logger, kafkaNodes })),
  ]);
}

async function createTopics(kafkaBrokers: string, { logger, kafkaNodes }: { readonly logger: Logger; readonly kafkaNodes: number }): Promise<void> {
  const bus = kafkaBusFrom(loadConfig(kafkaConfig, { KAFKA_BROKERS: kafkaBrokers }), { logger, service: 'local' });
  try {
    const replication = kafkaNodes < 3 ? { replicationFactor: 1, minInsyncReplicas: 1 } : { replicationFactor: 3, minInsyncReplicas: 2 };
    await bus.admin.ensureTopics(TOPIC_SPECS, replication);
  } finally {
    await bus.disconnect();
  }
}
