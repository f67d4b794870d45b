import { databaseFrom } from '@tidings/db';
import { createSecretBox, listen, type Service, type ServiceContext } from '@tidings/platform';
import { connectRedis, publishKeyChange } from '@tidings/redis';
import type { DashboardConfig } from './config.ts';
import { createDashboard } from './server.ts';

export async function startDashboard(config: DashboardConfig, { logger, clock, ids }: ServiceContext): Promise<Service> {
  const db = databaseFrom(config, 'dashboard');
  const redis = connectRedis(config, { logger, name: 'dashboard' });
  const app = createDashboard({
    db,
    box: createSecretBox(config.encryptionKey),
    logger,
    clock,
    ids,
    testSendTimeoutMs: config.testSendTimeoutMs,
    announceKeyChange: (applicationId) =>
      publishKeyChange(redis, applicationId).catch((error: unknown) => {
        logger.warn({ err: error }, 'key change not announced, gateways look again by themselves');
      }),
  });
  const server = await listen(app, config);
  logger.info({ port: server.port }, 'listening');
  return {
    stopIntake: () => server.close(),
    async disconnect() {
      redis.disconnect();
      await db.close();
    },
  };
}
