import { migrate } from '@tidings/postgres/migrate';
import { installConfig } from './config.ts';
import { createTopics } from './create-topics.ts';
import { runCommand } from './run-command.ts';

/** Creates the topics and brings the database to the newest version, then ends: an installation and each upgrade begin with it. */
await runCommand({
  name: 'prepare',
  config: installConfig,
  async run(config, logger) {
    // First the topics: processes wait for the schema alone, and whoever goes on by it needs both.
    await createTopics(config, {
      logger,
      replicationFactor: config.topicReplicationFactor,
      minInsyncReplicas: config.topicMinInsyncReplicas,
    });
    logger.info('topics created');
    await migrate(config.databaseUrl);
    logger.info('database migrated');
  },
});
