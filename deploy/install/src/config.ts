import { busConfig } from '@tidings/bus';
import { encryptionConfig, integer, optionalText, text, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

/** Addresses of the stores and the replication of topics. */
export const installConfig = {
  databaseUrl: databaseConfig.databaseUrl,
  ...busConfig,
  topicReplicationFactor: integer(
    'TOPIC_REPLICATION_FACTOR',
    'Replication factor of created topics.',
    { default: 3, min: 1 },
  ),
  topicMinInsyncReplicas: integer(
    'TOPIC_MIN_INSYNC_REPLICAS',
    'Replicas that must store a record before it is acknowledged (min.insync.replicas).',
    { default: 2, min: 1 },
  ),
} as const satisfies ConfigSpec;

/** Settings of the prepare command. */
export const prepareConfig = {
  ...installConfig,
  encryptionKey: optionalText(
    encryptionConfig.encryptionKey.env,
    encryptionConfig.encryptionKey.doc,
    { secret: true },
  ),
  newEncryptionKeyFile: optionalText(
    'NEW_ENCRYPTION_KEY_FILE',
    'File in which a new encryption key is made where ENCRYPTION_KEY is empty; services read it by ENCRYPTION_KEY_FILE. Empty: none is made.',
  ),
} as const satisfies ConfigSpec;

/** Settings of the command that moves the records to the other bus. */
export const moveConfig = {
  ...installConfig,
  moveTo: text('MOVE_TO', 'The bus to move to: kafka or postgres.', {
    values: ['kafka', 'postgres'],
  }),
} as const satisfies ConfigSpec;
