import { kafkaConfig } from '@tidings/bus';
import { databaseConfig } from '@tidings/db';
import { httpConfig, integer, proxyConfig, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { redisConfig } from '@tidings/redis';

export const dashboardConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...databaseConfig,
  ...kafkaConfig,
  ...redisConfig,
  encryptionKey: text('ENCRYPTION_KEY', 'Seals the channel secrets; the same for all services, 32 characters or more.', { secret: true }),
  testSendTimeoutMs: integer('TEST_SEND_TIMEOUT_MS', 'A test send waits this long for the provider’s answer.', { default: 20_000, min: 1_000 }),
} as const satisfies ConfigSpec;
export type DashboardConfig = ConfigOf<typeof dashboardConfig>;
