import { connectDatabase } from '@tidings/postgres/database';
import { migrate } from '@tidings/postgres/migrate';
import { prepareConfig } from './config.ts';
import { checkBus, claimBus } from './claim-bus.ts';
import { createLogTopics, createTopics } from './create-topics.ts';
import { makeEncryptionKey } from './make-encryption-key.ts';
import { runCommand } from './run-command.ts';

/**
 * Creates topics, migrates the database and makes an encryption key if it is to, then exits. Run it before an installation and each
 * upgrade.
 */
await runCommand({
  name: 'prepare',
  config: prepareConfig,
  async run(config, logger) {
    const topics = async (): Promise<void> => {
      await createTopics(config, {
        logger,
        replicationFactor: config.topicReplicationFactor,
        minInsyncReplicas: config.topicMinInsyncReplicas,
      });
      logger.info('topics created');
    };
    await checkBus(config);
    // Topics of Kafka first: services wait for the schema only, but need both. Topics of the bus on
    // Postgres are rows.
    if (config.bus === 'kafka') await topics();
    await migrate(config.databaseUrl, logger);
    logger.info('database migrated');
    const db = connectDatabase({
      databaseUrl: config.databaseUrl,
      poolMax: 1,
      applicationName: 'prepare',
    });
    try {
      await createLogTopics(db);
      await makeEncryptionKey(db, config, logger);
    } finally {
      await db.close();
    }
    await claimBus(config);
    if (config.bus === 'postgres') await topics();
  },
});
