import { kafkaConfig } from '@tidings/bus';
import { databaseConfig } from '@tidings/db';
import { httpConfig, integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { redisConfig } from '@tidings/redis';

export const gatewayConfig = {
  ...httpConfig,
  ...kafkaConfig,
  ...databaseConfig,
  ...redisConfig,
  pendingBytesMax: integer('PENDING_BYTES_MAX', 'Bytes of request bodies in work at most; beyond it the answer is 503.', {
    default: 24 * 1024 * 1024,
    min: 8 * 1024 * 1024,
  }),
  pendingRequestsMax: integer('PENDING_REQUESTS_MAX', 'Requests in work at most; beyond it the answer is 503.', { default: 2_000, min: 1 }),
  ingestDeadlineMs: integer('INGEST_DEADLINE_MS', 'A batch that Kafka has not confirmed by then is answered 503.', {
    default: 8_000,
    min: 100,
    max: 9_500,
  }),
  pushDeadlineMs: integer('PUSH_DEADLINE_MS', 'A campaign that Postgres has not stored by then is answered 503.', {
    default: 5_000,
    min: 100,
  }),
  flushRecordsMax: integer('FLUSH_RECORDS_MAX', 'Requests gathered into one call of Kafka at most.', { default: 500, min: 1 }),
  flushBytesMax: integer('FLUSH_BYTES_MAX', 'Bytes gathered into one call of Kafka at most.', { default: 512 * 1024, min: 1024 }),
} as const satisfies ConfigSpec;
export type GatewayConfig = ConfigOf<typeof gatewayConfig>;
