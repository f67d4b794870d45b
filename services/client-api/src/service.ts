import { listClientRates, openAccess } from '@tidings/access';
import { openCoordination, type Coordination } from '@tidings/coordination';
import { createPushServices } from '@tidings/egress';
import {
  ConfigError,
  createIdSigner,
  createSecretBox,
  readEncryptionKeys,
  repeat,
  type Logger,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { prepareHotValidators } from '@tidings/validation';
import { databaseFrom, type Database } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { SMS_STATUS_PURPOSE } from '@tidings/providers/sms/status-purpose';
import { clientApiConfig, type ClientApiConfig } from './config.ts';
import { createDeliveryUpdates } from './inbox/delivery-updates.ts';
import { InboxSubscriptions } from './inbox/inbox-subscriptions.ts';
import { createLinkReader } from './links/link-reader.ts';
import { classifyLinkHitsExclusively } from './links/classify-link-hits.ts';
import { createLinkHits } from './links/link-hits.ts';
import { createClientApi } from './server.ts';

const CLASSIFY_INTERVAL_MS = 1_000;

export const service = {
  name: 'client-api',
  config: clientApiConfig,
  start: startClientApi,
} satisfies ServiceDefinition<typeof clientApiConfig>;

export async function startClientApi(
  config: ClientApiConfig,
  ctx: ServiceContext,
): Promise<Service> {
  const { logger, clock, ids, shared, listen } = ctx;
  checkPublicBaseUrl(config);
  const db = databaseFrom(config, 'client-api', { shared });
  await untilMigrated(db, logger);
  const coordination = await openCoordination(config, ctx, 'client-api');
  const keys = readEncryptionKeys(config);
  const linkHits = createLinkHits({ db, logger });
  const access = openAccess(config, ctx, {
    service: 'client-api',
    rates: {
      sdk: { perSecond: config.rateSdkPerSecond, burst: config.rateSdkBurst },
      ...listClientRates(config),
      sdkDevice: { perSecond: config.rateSdkDevicePerSecond, burst: config.rateSdkDeviceBurst },
    },
    coordination,
  });
  const inbox = openInbox(config, ctx, { db, inboxWakeUps: coordination.inboxWakeUps });
  const app = createClientApi({
    db,
    access,
    isHttpsOnly: config.httpsOnly,
    isPushEndpoint: createPushServices(config),
    box: createSecretBox(keys),
    signer: createIdSigner(keys, SMS_STATUS_PURPOSE),
    links: createLinkReader(keys),
    linkHits,
    inboxSubscriptions: inbox.subscriptions,
    recheckSubscriptions: inbox.recheck,
    deliveryUpdates: createDeliveryUpdates(db),
    logger,
    clock,
    ids,
    publicBaseUrl: config.publicBaseUrl.replace(/\/+$/, ''),
  });
  prepareHotValidators();
  const server = await listen(app, config);
  logger.info({ port: server.port }, 'listening');
  const classification = startClassification(db, logger);
  return {
    disableKeepAlive: () => server.disableKeepAlive(),
    async stopIntake() {
      // Ended subscribers reconnect to another replica.
      await inbox.subscriptions.close();
      await server.close();
      await Promise.all([classification.stop(), linkHits.drain()]);
    },
    async disconnect() {
      inbox.unsubscribe();
      await access.close();
      await db.close();
      await coordination.close();
    },
  };
}

function checkPublicBaseUrl({ publicBaseUrl }: ClientApiConfig): void {
  if (!/^https?:\/\/[^/?#]+\/*$/.test(publicBaseUrl))
    throw new ConfigError([
      'PUBLIC_BASE_URL must be a scheme and a host without a path, e.g. https://host',
    ]);
}

type Inbox = {
  readonly subscriptions: InboxSubscriptions;
  /** Looks for messages of this user, in all replicas. */
  readonly recheck: (userId: string) => void;
  readonly unsubscribe: () => void;
};

function openInbox(
  config: ClientApiConfig,
  { clock, logger }: Pick<ServiceContext, 'clock' | 'logger'>,
  { db, inboxWakeUps }: { readonly db: Database } & Pick<Coordination, 'inboxWakeUps'>,
): Inbox {
  const subscriptions = new InboxSubscriptions({
    db,
    clock,
    logger,
    subscribersMax: config.inboxWaitingMax,
  });
  return {
    subscriptions,
    recheck(userId) {
      subscriptions.notify([userId]);
      // If it is lost, other replicas notice at their next poll.
      inboxWakeUps.publish([userId]).catch(() => undefined);
    },
    unsubscribe: inboxWakeUps.subscribe((userIds) => subscriptions.notify(userIds)),
  };
}

function startClassification(
  db: Database,
  logger: Logger,
): {
  /** Resolves after the last statement. */
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const ended = repeat(
    CLASSIFY_INTERVAL_MS,
    async () => void (await classifyLinkHitsExclusively(db, stopping.signal)),
    {
      signal: stopping.signal,
      onError: (error) => logger.warn({ err: error }, 'could not classify link hits, retrying'),
    },
  );
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
