import { kafkaBusFrom, kafkaConfig } from '@tidings/bus';
import { TOPIC_SPECS } from '@tidings/contracts';
import { migrate } from '@tidings/db';
import { loadConfig, type Logger } from '@tidings/platform';
import { silently, type Addresses, type RunStep } from './stack/stack.ts';

/** Brings the database to the newest version and creates the topics; both do nothing where nothing is missing. */
export async function prepareStores(addresses: Addresses, { logger, runStep = silently }: { readonly logger: Logger; readonly runStep?: RunStep }): Promise<void> {
  await Promise.all([
    runStep('Migrate the database', () => migrate(addresses.databaseUrl)),
    runStep('Create topics', () => createTopics(addresses.kafkaBrokers, logger)),
  ]);
}

async function createTopics(kafkaBrokers: string, logger: Logger): Promise<void> {
  const bus = kafkaBusFrom(loadConfig(kafkaConfig, { KAFKA_BROKERS: kafkaBrokers }), { logger, service: 'local' });
  try {
    await bus.admin.ensureTopics(TOPIC_SPECS, { replicationFactor: 1, minInsyncReplicas: 1 });
  } finally {
    await bus.disconnect();
  }
}
