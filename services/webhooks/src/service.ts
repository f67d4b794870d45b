import { WEBHOOK_DISABLED_REASONS } from '@tidings/contracts/webhooks';
import { createEgress, createEgressHttp } from '@tidings/egress';
import {
  Counter,
  createSecretBox,
  readEncryptionKeys,
  Gauge,
  repeat,
  type Logger,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { databaseFrom, type Database } from '@tidings/postgres/database';
import { countRowsWrittenAhead } from '@tidings/postgres/rows-written-ahead';
import { untilMigrated } from '@tidings/postgres/schema-version';
import {
  failWebhooksToDisabled,
  rescheduleWebhooksWrittenAhead,
  type DisabledEndpoint,
} from '@tidings/webhook-queue/queue';
import { listLaggingEndpoints, readLongestWait } from '@tidings/webhook-queue/backlog';
import { webhooksConfig, type WebhooksConfig } from './config.ts';
import { startDispatcher } from './dispatcher.ts';
import { inFlightMax } from './endpoint-slots.ts';
import { createOutcomeRecorder } from './recorder.ts';
import { settingsFrom } from './settings.ts';

const disabledTotal = new Counter({
  name: 'tidings_webhook_endpoints_disabled_total',
  help: 'Webhook endpoints disabled because of their answers.',
  labelNames: ['reason'] as const,
});
const waitSeconds = new Gauge({
  name: 'tidings_webhook_wait_seconds',
  help: 'Longest time that a due webhook has waited without any attempt for its endpoint.',
});
/**
 * Ids as labels, against the usual rule: the alert must name the endpoint. At most 20 series, only
 * for endpoints that are behind.
 */
const behindSeconds = new Gauge({
  name: 'tidings_webhook_endpoint_behind_seconds',
  help: 'How long an endpoint has been failing, or its oldest due webhook waiting. The 20 longest above 5 minutes.',
  labelNames: ['application', 'endpoint'] as const,
});

const SWEEP_INTERVAL_MS = 5_000;
const ROWS_PER_STEP = 500;
const BEHIND = { minSeconds: 300, limit: 20 };

export const service = {
  name: 'webhooks',
  config: webhooksConfig,
  start: startWebhooks,
} satisfies ServiceDefinition<typeof webhooksConfig>;

export async function startWebhooks(
  config: WebhooksConfig,
  { logger, clock, shared }: Pick<ServiceContext, 'logger' | 'clock' | 'shared'>,
): Promise<Service> {
  // Prometheus does not see the increment that creates a series.
  for (const reason of WEBHOOK_DISABLED_REASONS) disabledTotal.inc({ reason }, 0);
  const settings = settingsFrom(config);
  const db = databaseFrom(config, 'webhooks', { shared });
  await untilMigrated(db, logger);
  const http = createEgressHttp(config, {
    egress: createEgress(config),
    connections: inFlightMax(settings),
  });
  const recorder = createOutcomeRecorder({
    db,
    logger,
    disableAfterMs: settings.disableAfterMs,
    onDisabled: (endpoint) => reportDisabled(endpoint, logger),
  });
  const dispatcher = startDispatcher({
    db,
    box: createSecretBox(readEncryptionKeys(config)),
    http,
    recorder,
    clock,
    logger,
    settings,
  });
  const stopping = new AbortController();
  const sweeping = repeat(SWEEP_INTERVAL_MS, () => sweep(db, { signal: stopping.signal, logger }), {
    signal: stopping.signal,
    onError: (error) =>
      logger.warn({ err: error }, 'sweep of webhooks failed; the next one tries again'),
  });

  return {
    isAlive: () => dispatcher.isAlive(),
    async stopIntake() {
      stopping.abort();
      await Promise.all([dispatcher.stop(), sweeping]);
    },
    async disconnect() {
      await http.close();
      await db.close();
    },
  };
}

/** Logged as an error: webhooks to this endpoint will not arrive, so an operator must act. */
function reportDisabled(
  { endpointId, applicationId, reason }: DisabledEndpoint,
  logger: Logger,
): void {
  disabledTotal.inc({ reason });
  logger.error({ endpointId, applicationId, reason }, 'webhook endpoint disabled');
}

/**
 * Measures the backlog. In short steps, fails webhooks of disabled endpoints, and makes due those
 * written while the clock of Postgres was ahead.
 */
async function sweep(
  db: Database,
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): Promise<void> {
  waitSeconds.set(await readLongestWait(db));
  const behind = await listLaggingEndpoints(db, BEHIND);
  behindSeconds.reset();
  for (const { applicationId, endpointId, seconds } of behind)
    behindSeconds.set({ application: applicationId, endpoint: endpointId }, seconds);
  for (let ahead = ROWS_PER_STEP; ahead === ROWS_PER_STEP && !signal.aborted;) {
    ahead = await rescheduleWebhooksWrittenAhead(db, ROWS_PER_STEP);
    countRowsWrittenAhead('webhook_deliveries', ahead);
    if (ahead > 0)
      logger.warn(
        { rows: ahead },
        'the clock of Postgres was ahead: webhooks written meanwhile are due now',
      );
  }
  for (let failed = ROWS_PER_STEP; failed === ROWS_PER_STEP && !signal.aborted;)
    failed = await failWebhooksToDisabled(db, ROWS_PER_STEP);
}
