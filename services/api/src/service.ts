import { createWrongKeys, openRates } from '@tidings/access';
import { openBus } from '@tidings/bus';
import { LIMITS, type Rate } from '@tidings/contracts/limits';
import {
  openCoordination,
  type Coordination,
  type LocalRate,
  type RateLimiter,
} from '@tidings/coordination';
import { createAdmission } from '@tidings/http/admission';
import {
  createSecretBox,
  readEncryptionKeys,
  type Logger,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { databaseFrom, loadPrisma } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { openCampaignIntake, readPushRate } from '@tidings/campaign-intake';
import { createQuestions, QUESTIONS_DEFAULTS } from '@tidings/segments/questions';
import { createFailedSignIns } from './auth/failed-sign-ins.ts';
import { createIdentityProvider } from './auth/identity-provider.ts';
import { readOidcSettings } from './auth/oidc-config.ts';
import { createPasswords } from './auth/passwords.ts';
import { apiConfig, type ApiConfig } from './config.ts';
import { resolveDashboardUrl, getRedirectUri } from './dashboard-url.ts';
import type { ApiDependencies } from './dependencies.ts';
import { PAGES_DIR } from './pages/serve-pages.ts';
import { createLiveHub } from './live/live-hub.ts';
import { readIngestLag } from './overview/ingest-lag.ts';
import { listStores } from './overview/list-stores.ts';
import { createInTime } from './queries/search/in-time.ts';
import { createApi } from './server.ts';

/** Test sends and downloads are slow. A draining process has 40 s in total. */
const CLOSE_DEADLINE_MS = 30_000;
/** One application may use half: two campaigns of maximum size at once. */
const PUSH_ADMISSION = { path: 'push', bytesMax: 4 * LIMITS.pushBodyBytesMax, requestsMax: 400 };

/** Work of searches at a time, each with a connection. */
const SEARCH_PLACES = 4;

export const service = {
  name: 'api',
  config: apiConfig,
  start: startApi,
} satisfies ServiceDefinition<typeof apiConfig>;

export async function startApi(config: ApiConfig, ctx: ServiceContext): Promise<Service> {
  const { logger, clock, ids, shared, listen, end } = ctx;
  const db = databaseFrom(config, 'api', { shared });
  await untilMigrated(db, logger);
  await loadPrisma(db);
  const coordination = await openCoordination(config, ctx, 'api');
  // Connects in the background. Without Kafka, replays of dead letters are unavailable and
  // campaigns start later.
  const bus = openBus(config, { service: 'api', logger, shared, db, onBroken: end });
  const dashboardUrl = resolveDashboardUrl(config);
  const oidc = readOidcSettings(config);
  const box = createSecretBox(readEncryptionKeys(config));
  const live = createLiveHub({ clock, logger });
  const producer = await bus.producer();
  const pushes = openCampaignIntake(config, { db, producer, logger });
  const { rates, limiterOf } = openRates(config, {
    rates: { push: readPushRate(config) },
    coordination,
  });
  const failedSignIns = createFailedSignIns({ db, clock, ids, logger });
  const app = createApi({
    db,
    questions: createQuestions(db, {
      ...QUESTIONS_DEFAULTS,
      concurrency: config.segmentConcurrency,
      userPlaces: userPlaces(config),
      memoryMiB: config.analyticsMemoryMiB,
    }),
    producer,
    campaigns: pushes.campaigns,
    campaignQueue: pushes.campaignQueue,
    admission: createAdmission(PUSH_ADMISSION),
    rates,
    wrongKeys: createWrongKeys({ clock }),
    callerRateOf: createLocalRates(limiterOf('api'), {
      perSecond: config.rateApiPerSecond,
      burst: config.rateApiBurst,
    }),
    questionRateOf: createLocalRates(limiterOf('questions'), {
      perSecond: config.rateQuestionsPerSecond,
      burst: config.rateQuestionsBurst,
    }),
    box,
    logger,
    clock,
    ids,
    trustedProxies: config.trustedProxies,
    isHttpsOnly: config.httpsOnly,
    deliveryRetentionDays: config.deliveryRetentionDays,
    passwords: createPasswords(),
    failedSignIns,
    dashboardUrl,
    publicBaseUrl: config.publicBaseUrl.replace(/\/+$/, '') || new URL(dashboardUrl).origin,
    pagesDir: PAGES_DIR,
    identityProvider:
      oidc === null
        ? null
        : createIdentityProvider(oidc, {
            box,
            clock,
            logger,
            redirectUri: getRedirectUri(dashboardUrl),
          }),
    testSendTimeoutMs: config.testSendTimeoutMs,
    inTime: createInTime(
      db,
      { timeoutMs: config.searchTimeoutMs, places: searchPlaces(config) },
      clock,
    ),
    live,
    readIngestLag: () => readIngestLag(bus.admin, logger),
    runsOn: listStores(config),
    publishKeyChange: createKeyChangePublisher(coordination, logger),
  });
  const server = await listen(app, config, { closeDeadlineMs: CLOSE_DEADLINE_MS });
  logger.info({ port: server.port }, 'listening');
  return {
    disableKeepAlive: () => server.disableKeepAlive(),
    async stopIntake() {
      live.close();
      await server.close();
      await Promise.all([pushes.drain(), failedSignIns.drain()]);
    },
    async disconnect() {
      await bus.disconnect();
      await db.close();
      await coordination.close();
    },
  };
}

function createKeyChangePublisher(
  { keyChanges }: Coordination,
  logger: Logger,
): ApiDependencies['publishKeyChange'] {
  return (applicationId) =>
    keyChanges.publish(applicationId).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'could not publish a key change; gateways reload keys periodically',
      );
    });
}

/** Half of the connections, at most: all other requests need some, too. */
function userPlaces({ databasePoolMax }: ApiConfig): number {
  return Math.max(1, Math.min(QUESTIONS_DEFAULTS.userPlaces, Math.floor(databasePoolMax / 2)));
}

/** A third of the connections, at most: people search while they type, and questions take half. */
function searchPlaces({ databasePoolMax }: ApiConfig): number {
  return Math.max(1, Math.min(SEARCH_PLACES, Math.floor(databasePoolMax / 3)));
}

function createLocalRates(
  limiter: RateLimiter,
  rate: Rate,
): (caller: string) => LocalRate | undefined {
  return (caller) => (rate.perSecond === 0 ? undefined : limiter.localOf(caller, rate));
}
