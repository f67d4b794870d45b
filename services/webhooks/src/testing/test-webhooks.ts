import { acceptCampaign } from '@tidings/delivery/accept';
import { createSecretBox, createShared, loadConfig, systemClock } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  createRecordingLogger,
  createSendingApplication,
  newCampaign,
  testDatabaseUrl,
} from '@tidings/testing';
import {
  createWebhookEndpoint,
  readWebhookEndpoint,
  rotateWebhookSecret,
  type SubscribedKind,
} from '@tidings/webhook-queue/endpoints';
import {
  listWebhookDeliveries,
  type WebhookDeliveryRecord,
} from '@tidings/webhook-queue/delivery-log';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { webhooksConfig } from '../config.ts';
import { startWebhooks } from '../service.ts';

const ENCRYPTION_KEY = 'a key for tests, of thirty-two characters';
const box = createSecretBox(ENCRYPTION_KEY);

/** The URL of a separate database of a test. */
async function readUrl(db: Database): Promise<string> {
  const { rows } = await db.sql.query<{ name: string }>('select current_database() as name');
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${rows[0]?.name ?? ''}`;
  return url.href;
}

type Environment = Readonly<Record<string, string>>;

const environmentFor = async (db: Database, overrides: Environment): Promise<Environment> => ({
  DATABASE_URL: await readUrl(db),
  ENCRYPTION_KEY,
  EGRESS_HOOKS_NETWORKS: '127.0.0.0/8',
  WEBHOOK_POLL_INTERVAL_MS: '20',
  ...overrides,
});

/** The service in this process; `await using` stops it. */
export async function startSending(db: Database, overrides: Environment = {}) {
  const { logger, lines } = createRecordingLogger();
  const service = await startWebhooks(
    loadConfig(webhooksConfig, await environmentFor(db, overrides)),
    { logger, clock: systemClock, shared: createShared() },
  );
  const stop = async (): Promise<void> => {
    await service.stopIntake();
    await service.disconnect();
  };
  let stopped: Promise<void> | undefined;
  return {
    lines,
    isAlive: () => service.isAlive?.() ?? false,
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

/** The service as a separate process, which a test can kill. */
export async function spawnSending(
  db: Database,
  overrides: Environment = {},
): Promise<ChildProcess & AsyncDisposable> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const env = {
    HEALTH_PORT: '0',
    HEALTH_HOST: '127.0.0.1',
    DRAIN_WAIT_MS: '0',
    ...(await environmentFor(db, overrides)),
  };
  const child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  });
}

/** An application with a campaign, and an endpoint for each of the URLs. */
export async function createListening(
  db: Database,
  urls: readonly string[],
  kinds: readonly SubscribedKind[] = [],
) {
  const { applicationId } = await createSendingApplication(db);
  const campaign = newCampaign({ applicationId });
  await acceptCampaign(db, campaign);
  const endpoints: { readonly id: string; readonly secret: string }[] = [];
  for (const url of urls) {
    const endpoint = await createWebhookEndpoint(db, box, {
      applicationId,
      url,
      description: '',
      kinds,
      channels: [],
    });
    if (endpoint === 'too_many') throw new Error('too many endpoints');
    endpoints.push(endpoint);
  }
  const [first] = endpoints;
  if (first === undefined) throw new Error('no endpoint');
  const ofFirst = { applicationId, endpointId: first.id };
  return {
    ...ofFirst,
    campaignId: campaign.campaignId,
    endpoints,
    secret: first.secret,
    /** Queues webhooks like a state change does. */
    happen: (type: string, times = 1) =>
      db.sql.query(
        'insert into campaign_events (campaign_id, type) select $1, $2 from generate_series(1, $3)',
        [campaign.campaignId, type, times],
      ),
    rotate: async () => (await rotateWebhookSecret(db, box, ofFirst))?.secret ?? '',
    endpoint: () => readWebhookEndpoint(db, ofFirst),
    log: (endpointId = first.id): Promise<WebhookDeliveryRecord[]> =>
      listWebhookDeliveries(db, { applicationId, endpointId }, { limit: 500 }),
  };
}
