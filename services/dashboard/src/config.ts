import { kafkaConfig } from '@tidings/bus';
import { databaseConfig } from '@tidings/db';
import { encryptionConfig, httpConfig, integer, proxyConfig, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { redisConfig } from '@tidings/redis';

export const dashboardConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...databaseConfig,
  ...kafkaConfig,
  ...redisConfig,
  ...encryptionConfig,
  testSendTimeoutMs: integer('TEST_SEND_TIMEOUT_MS', 'A test send waits this long for the provider’s answer.', { default: 20_000, min: 1_000 }),
} as const satisfies ConfigSpec;
export type DashboardConfig = ConfigOf<typeof dashboardConfig>;
