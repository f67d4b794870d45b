import { listClientRates, halveRate, openAccess } from '@tidings/access';
import { createGroupCommit, openBus } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts/topics';
import { openCoordination } from '@tidings/coordination';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import { createAdmission } from '@tidings/http/admission';
import {
  systemClock,
  watchLoopLag,
  type LoopLag,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { prepareHotValidators } from '@tidings/validation';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { openCampaignIntake, readPushRate } from '@tidings/campaign-intake';
import { gatewayConfig, type GatewayConfig } from './config.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { createRejectionLog } from './rejections/rejection-log.ts';
import { createGateway } from './server.ts';

/** Listening sockets: a load balancer that fails over opens thousands of connections at once. */
const ACCEPT_SOCKETS = 32;
/** Shorter than common client timeouts, and long compared with the duration of a request. */
const QUEUE_WAIT_MS_MAX = 3_000;

export const service = {
  name: 'gateway',
  config: gatewayConfig,
  start: startGateway,
} satisfies ServiceDefinition<typeof gatewayConfig>;

export async function startGateway(config: GatewayConfig, ctx: ServiceContext): Promise<Service> {
  const { logger, clock, ids, shared, listen, end } = ctx;
  // PUSH_DEADLINE_MS is also the statement timeout, so Postgres cancels a slow statement too.
  const db = databaseFrom(
    { ...config, databaseStatementTimeoutMs: config.pushDeadlineMs },
    'gateway',
    { shared },
  );
  await untilMigrated(db, logger);
  const bus = openBus(config, { service: 'gateway', logger, shared, db, onBroken: end });
  const coordination = await openCoordination(config, ctx, 'gateway');
  const access = openAccess(config, ctx, {
    service: 'gateway',
    rates: listRates(config),
    coordination,
  });
  const producer = await bus.producer();

  const commit = createGroupCommit(producer, {
    topic: TOPICS.ingest,
    recordsMax: config.flushRecordsMax,
    bytesMax: config.flushBytesMax,
    deadlineMs: config.ingestDeadlineMs,
    flushIntervalMs: config.flushIntervalMs,
  });
  const campaignIntake = openCampaignIntake(config, { db, producer, logger });
  const rejections = createRejectionLog({
    insert: (rows) => insertRejectedRequests(db, rows),
    clock,
    logger,
  });
  // Event-loop delay is measured with the real clock, also if a test uses a fake one.
  const lag = watchLoopLag(systemClock);
  const app = createGateway({
    ...access,
    isHttpsOnly: config.httpsOnly,
    deliveryRetentionDays: config.deliveryRetentionDays,
    ingest: commit,
    campaigns: campaignIntake.campaigns,
    campaignQueue: campaignIntake.campaignQueue,
    db,
    admissions: createAdmissions(config, lag),
    lag,
    ingestDeadlineMs: config.ingestDeadlineMs,
    dashboardUrl: config.dashboardUrl,
    rejections,
    logger,
    clock,
    ids,
  });
  prepareHotValidators();
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
      await campaignIntake.drain();
      await rejections.stop();
      lag.stop();
    },
    async disconnect() {
      await access.close();
      await bus.disconnect();
      await db.close();
      await coordination.close();
    },
  };
}

function listRates(config: GatewayConfig) {
  const ingest = { perSecond: config.rateIngestPerSecond, burst: config.rateIngestBurst };
  return {
    ingest,
    ingestClient: halveRate(ingest),
    ...listClientRates(config),
    push: readPushRate(config),
  };
}

function createAdmissions(config: GatewayConfig, lag: LoopLag): GatewayDependencies['admissions'] {
  const overload = { lag, lagMsMax: config.loopLagMsMax, waitMsMax: QUEUE_WAIT_MS_MAX };
  return {
    ingest: createAdmission({
      path: 'ingest',
      bytesMax: config.pendingBytesMax,
      requestsMax: config.pendingRequestsMax,
      ...overload,
    }),
    push: createAdmission({
      path: 'push',
      bytesMax: config.pendingPushBytesMax,
      requestsMax: config.pendingPushesMax,
      ...overload,
    }),
  };
}
