import { openBus } from '@tidings/bus';
import { ConfigError } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { moveConfig } from './config.ts';
import { ALL_RECORDS, moveRecords } from './move-records.ts';
import { runCommand } from './run-command.ts';

/** Moves the records of an installation to the other bus. See docs/operations/one-process.md. */

const DRAIN_MS = 60_000;
/**
 * A broker that the controller has not reached for 9 s (`broker.session.timeout.ms`) loses its
 * partitions.
 */
const NOTICE_MS = 10_000;
/** One statement changes all chunks of campaigns. */
const STATEMENT_TIMEOUT_MS = 600_000;

await runCommand({
  name: 'move-bus',
  config: moveConfig,
  async run(config, logger) {
    if (config.kafkaBrokers.length === 0)
      throw new ConfigError(['KAFKA_BROKERS is missing: it is needed in both directions']);
    const to = config.moveTo === 'kafka' ? 'kafka' : 'postgres';
    const db = connectDatabase({
      databaseUrl: config.databaseUrl,
      poolMax: 2,
      applicationName: 'move-bus',
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    const open = (bus: 'kafka' | 'postgres') =>
      openBus({ ...config, bus }, { logger, service: 'move-bus' });
    const buses = { kafka: open('kafka'), postgres: open('postgres') };
    try {
      await moveRecords({
        to,
        records: ALL_RECORDS,
        db,
        buses,
        logger,
        drainMs: DRAIN_MS,
        noticeMs: NOTICE_MS,
        replication: {
          replicationFactor: config.topicReplicationFactor,
          minInsyncReplicas: config.topicMinInsyncReplicas,
        },
      });
    } finally {
      await Promise.all([buses.kafka.disconnect(), buses.postgres.disconnect(), db.close()]);
    }
  },
});
