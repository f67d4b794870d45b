import { kafkaConfig } from '@tidings/bus';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

/** Settings of the prepare command: addresses of the stores and the replication of topics. */
export const installConfig = {
  databaseUrl: databaseConfig.databaseUrl,
  ...kafkaConfig,
  topicReplicationFactor: integer(
    'TOPIC_REPLICATION_FACTOR',
    'Brokers that keep each record of a topic that is made.',
    { default: 3, min: 1 },
  ),
  topicMinInsyncReplicas: integer(
    'TOPIC_MIN_INSYNC_REPLICAS',
    'Of these so many must have a record before a request is answered.',
    { default: 2, min: 1 },
  ),
} as const satisfies ConfigSpec;
export type InstallConfig = ConfigOf<typeof installConfig>;
