import { createGroupCommit, kafkaBusFrom } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts';
import { databaseFrom, findKeyGrant } from '@tidings/db';
import { listen, type Service, type ServiceContext } from '@tidings/platform';
import { connectRedis, subscribeKeyChanges } from '@tidings/redis';
import { createAdmission } from './admission.ts';
import { createKeyCache } from './auth/key-cache.ts';
import type { GatewayConfig } from './config.ts';
import { createAnnouncer } from './routes/push/announcer.ts';
import { createGateway } from './server.ts';

export async function startGateway(config: GatewayConfig, { logger, clock, ids }: ServiceContext): Promise<Service> {
  const bus = kafkaBusFrom(config, { service: 'gateway', logger });
  // A campaign is the longest thing the gateway stores: what takes longer is ended by Postgres, not only given up here.
  const db = databaseFrom({ ...config, databaseStatementTimeoutMs: config.pushDeadlineMs }, 'gateway');
  const subscription = connectRedis(config, { logger, name: 'gateway' });
  const producer = await bus.producer();
  const keys = createKeyCache({ findKeyGrant: (applicationId, key) => findKeyGrant(db, applicationId, key), clock });
  subscribeKeyChanges(subscription, (applicationId) => keys.forget(applicationId));

  const ingest = createGroupCommit(producer, {
    topic: TOPICS.ingest,
    recordsMax: config.flushRecordsMax,
    bytesMax: config.flushBytesMax,
    deadlineMs: config.ingestDeadlineMs,
  });
  const announcer = createAnnouncer(producer, logger);
  const app = createGateway({
    keys,
    ingest,
    announcer,
    db,
    admission: createAdmission({ bytesMax: config.pendingBytesMax, requestsMax: config.pendingRequestsMax }),
    logger,
    clock,
    ids,
  });
  const server = await listen(app, config);
  logger.info({ port: server.port }, 'listening');

  return {
    async stopIntake() {
      await server.close();
      await ingest.drain();
      await announcer.drain();
    },
    async disconnect() {
      subscription.disconnect();
      await bus.disconnect();
      await db.close();
    },
  };
}
