import { busConfig } from '@tidings/bus';
import { claimBus, createLogTopics, createTopics } from '@tidings/install';
import { loadConfig, type Logger } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { migrate } from '@tidings/postgres/migrate';
import { silently, type Addresses, type RunStep } from './stack/stack.ts';

export type PrepareOptions = {
  readonly logger: Logger;
  readonly runStep?: RunStep;
  readonly kafkaNodes?: number;
};

/** Migrates the database and creates topics. Idempotent. */
export async function prepareStores(
  addresses: Addresses,
  { logger, runStep = silently, kafkaNodes = 1 }: PrepareOptions,
): Promise<void> {
  const replication =
    kafkaNodes < 3
      ? { replicationFactor: 1, minInsyncReplicas: 1 }
      : { replicationFactor: 3, minInsyncReplicas: 2 };
  const { bus, databaseUrl, kafkaBrokers } = addresses;
  const migrateDatabase = () =>
    runStep('Migrate the database', async () => {
      await migrate(databaseUrl, logger);
      const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'prepare' });
      await createLogTopics(db).finally(() => db.close());
    });
  const ensureTopics = () =>
    runStep('Create topics', () =>
      createTopics(
        {
          ...loadConfig(busConfig, { BUS: bus, KAFKA_BROKERS: kafkaBrokers }),
          databaseUrl,
        },
        { logger, ...replication },
      ),
    );
  if (bus === 'kafka') {
    await Promise.all([migrateDatabase(), ensureTopics()]);
    await claimBus({ databaseUrl, bus });
    return;
  }
  await migrateDatabase();
  await claimBus({ databaseUrl, bus });
  await ensureTopics();
}
