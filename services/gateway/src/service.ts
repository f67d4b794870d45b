import { clientRatesOf, halveRate, openAccess } from '@tidings/access';
import { createGroupCommit, kafkaBusFrom } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import {
  createAdmission,
  listen,
  systemClock,
  watchLoopLag,
  type Service,
  type ServiceContext,
} from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { openCampaignIntake, pushRateOf } from '@tidings/campaign-intake';
import type { GatewayConfig } from './config.ts';
import { createRejectionLog } from './rejections/rejection-log.ts';
import { createGateway } from './server.ts';

/** When a balancer moves its callers here, thousands of connections come at once. */
const ACCEPT_SOCKETS = 32;
/** Shorter than anybody waits for an answer, and long beside the time that a request takes. */
const QUEUE_WAIT_MS_MAX = 3_000;

export async function startGateway(
  config: GatewayConfig,
  { logger, clock, ids, end }: ServiceContext,
): Promise<Service> {
  const bus = kafkaBusFrom(config, { service: 'gateway', logger, onWedged: end });
  // A campaign is the longest thing the gateway stores: what takes longer is ended by Postgres, not only given up here.
  const db = databaseFrom(
    { ...config, databaseStatementTimeoutMs: config.pushDeadlineMs },
    'gateway',
  );
  await untilMigrated(db, logger);
  const ingest = { perSecond: config.rateIngestPerSecond, burst: config.rateIngestBurst };
  const access = openAccess(
    config,
    { logger, clock, ids },
    {
      service: 'gateway',
      rates: {
        ingest,
        ingestClient: halveRate(ingest),
        ...clientRatesOf(config),
        push: pushRateOf(config),
      },
    },
  );
  const producer = await bus.producer();

  const commit = createGroupCommit(producer, {
    topic: TOPICS.ingest,
    recordsMax: config.flushRecordsMax,
    bytesMax: config.flushBytesMax,
    deadlineMs: config.ingestDeadlineMs,
    flushIntervalMs: config.flushIntervalMs,
  });
  const pushes = openCampaignIntake(config, { db, producer, logger });
  const rejections = createRejectionLog({
    insert: (rows) => insertRejectedRequests(db, rows),
    clock,
    logger,
  });
  // The loop is real, also where a test holds the clock.
  const lag = watchLoopLag(systemClock);
  const keepingUp = { lag, lagMsMax: config.loopLagMsMax, waitMsMax: QUEUE_WAIT_MS_MAX };
  const app = createGateway({
    ...access,
    isHttpsOnly: config.httpsOnly,
    ingest: commit,
    campaigns: pushes.campaigns,
    campaignQueue: pushes.campaignQueue,
    db,
    admissions: {
      ingest: createAdmission({
        path: 'ingest',
        bytesMax: config.pendingBytesMax,
        requestsMax: config.pendingRequestsMax,
        ...keepingUp,
      }),
      push: createAdmission({
        path: 'push',
        bytesMax: config.pendingPushBytesMax,
        requestsMax: config.pendingPushesMax,
        ...keepingUp,
      }),
    },
    lag,
    ingestDeadlineMs: config.ingestDeadlineMs,
    dashboardUrl: config.dashboardUrl,
    rejections,
    logger,
    clock,
    ids,
  });
  const server = await listen(app, config, {
    connectionsMax: config.connectionsMax,
    acceptSockets: ACCEPT_SOCKETS,
  });
  logger.info({ port: server.port }, 'listening');

  return {
    disableKeepAlive: () => server.disableKeepAlive(),
    async stopIntake() {
      await server.close();
      await commit.drain();
      await pushes.drain();
      await rejections.stop();
      lag.stop();
    },
    async disconnect() {
      await access.close();
      await bus.disconnect();
      await db.close();
    },
  };
}
