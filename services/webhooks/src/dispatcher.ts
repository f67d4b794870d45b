import type { EgressHttp } from '@tidings/egress';
import {
  Counter,
  Gauge,
  Histogram,
  type Clock,
  type Logger,
  type SecretBox,
} from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { claimWebhooks, type ClaimedWebhook } from '@tidings/webhook-queue/queue';
import { attemptWebhook } from './attempt.ts';
import { EndpointSlots } from './endpoint-slots.ts';
import { decideOutcome } from './outcome.ts';
import type { OutcomeRecorder } from './recorder.ts';
import type { WebhookSettings } from './settings.ts';
import { createWakeUp } from './wake-up.ts';

const attemptsTotal = new Counter({
  name: 'tidings_webhook_attempts_total',
  help: 'Webhook attempts, by outcome.',
  labelNames: ['outcome'] as const,
});
const attemptSeconds = new Histogram({
  name: 'tidings_webhook_attempt_seconds',
  help: 'Time until an endpoint answered or the attempt was given up.',
  buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
});
const inFlightGauge = new Gauge({
  name: 'tidings_webhooks_in_flight',
  help: 'Webhooks being sent.',
});

export type DispatcherDependencies = {
  readonly db: Database;
  readonly box: SecretBox;
  readonly http: EgressHttp;
  readonly recorder: OutcomeRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: Pick<
    WebhookSettings,
    | 'concurrency'
    | 'endpointConcurrency'
    | 'timeoutMs'
    | 'leaseMs'
    | 'pollIntervalMs'
    | 'retryDelaysMs'
  >;
};

export interface Dispatcher {
  /** Claims nothing more, and resolves when the outcomes of all webhooks in flight are recorded. */
  stop(): Promise<void>;
  isAlive(): boolean;
}

/** An endpoint that takes longer is slow. */
const PROMPT_MS = 1_000;
/** Minimum time between two claims, so that one statement claims several webhooks. */
const CLAIM_SPACING_MS = 20;
/** Undecryptable secrets need an operator; their webhooks wait. */
const UNREADABLE_DELAY_MS = 60_000;
/** A claim takes one or two statements, each of which times out earlier. */
const ALIVE_WITHIN_MS = 120_000;

/** Starts to send due webhooks. Any number of processes can run concurrently. */
export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { clock, logger, settings } = deps;
  const slots = new EndpointSlots(settings);
  const wakeUp = createWakeUp();
  const attempts = new Set<Promise<void>>();
  let isStopping = false;
  let lastClaimMs = clock.monotonicMs();

  const begin = (webhook: ClaimedWebhook): void => {
    slots.acquire(webhook.endpointId);
    inFlightGauge.inc();
    const slow = setTimeout(() => {
      slots.markSlow(webhook.endpointId);
      wakeUp.wake();
    }, PROMPT_MS);
    const attempt = sendOne(deps, webhook).then((isSuccess) => {
      clearTimeout(slow);
      slots.release(webhook.endpointId, isSuccess);
      inFlightGauge.dec();
      attempts.delete(attempt);
      wakeUp.wake();
    });
    attempts.add(attempt);
  };

  const claim = async (): Promise<void> => {
    for (const limits of slots.claimLimits()) {
      const rowsMax = Math.min(limits.rowsMax, slots.free);
      if (rowsMax === 0 || isStopping) return;
      for (const webhook of await claimWebhooks(deps.db, deps.box, {
        ...limits,
        rowsMax,
        leaseMs: settings.leaseMs,
      }))
        begin(webhook);
    }
  };

  const running = (async () => {
    while (!isStopping) {
      await claim().catch((error: unknown) =>
        logger.warn({ err: error }, 'claiming webhooks failed, retrying'),
      );
      lastClaimMs = clock.monotonicMs();
      await wakeUp.wait({ atLeastMs: CLAIM_SPACING_MS, atMostMs: settings.pollIntervalMs });
    }
  })();

  return {
    isAlive: () => clock.monotonicMs() - lastClaimMs < ALIVE_WITHIN_MS,
    async stop() {
      isStopping = true;
      wakeUp.wake();
      await running;
      await Promise.all(attempts);
    },
  };
}

/** Sends one webhook and records its outcome. */
async function sendOne(
  { http, recorder, clock, logger, settings }: DispatcherDependencies,
  webhook: ClaimedWebhook,
): Promise<{ readonly isSuccess: boolean; readonly isPrompt: boolean }> {
  const { deliveryId, fence, endpointId, secrets } = webhook;
  if (secrets === null) {
    logger.error(
      { endpointId, deliveryId },
      'webhook secrets were encrypted with another ENCRYPTION_KEY',
    );
    attemptsTotal.inc({ outcome: 'put_off' });
    await recorder.record({ deliveryId, fence, outcome: 'put_off', delayMs: UNREADABLE_DELAY_MS });
    return { isSuccess: false, isPrompt: true };
  }
  const at = clock.now();
  const startedMs = clock.monotonicMs();
  const result = await attemptWebhook(
    http,
    { ...webhook, secrets },
    { sentAtMs: at, timeoutMs: settings.timeoutMs },
  );
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  const outcome = decideOutcome(
    result,
    { type: webhook.type, attempts: webhook.attempts + 1 },
    { retryDelaysMs: settings.retryDelaysMs, nowMs: clock.now(), random: Math.random },
  );
  attemptsTotal.inc({ outcome: outcome.outcome });
  attemptSeconds.observe(durationMs / 1000);
  const { answer, ...seen } =
    'statusCode' in result
      ? { statusCode: result.statusCode, answer: result.answer }
      : { error: result.error, answer: undefined };
  logger.debug({ deliveryId, endpointId, ...seen, outcome: outcome.outcome }, 'webhook sent');
  await recorder.record({
    deliveryId,
    fence,
    ...outcome,
    attempt: { at, durationMs, ...seen },
    ...(answer !== undefined && { answer }),
  });
  return { isSuccess: outcome.outcome === 'succeeded', isPrompt: durationMs < PROMPT_MS };
}
