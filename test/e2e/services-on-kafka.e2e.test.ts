/**
 * @needs kafka redis
 * @slow
 */

import { afterAll, beforeAll, describe } from '@jest/globals';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { canaryTests } from './services/canaries.ts';
import { controlTests } from './services/control.ts';
import { outcomeTests } from './services/from-post-to-outcome.ts';
import { SEND_CONCURRENCY } from './services/services.ts';
import { smsAndHookTests } from './services/sms-and-hooks.ts';
import { traceTests } from './services/traces.ts';
import { webhookTests } from './services/webhooks.ts';
import { startOtlpReceiver, type OtlpReceiver } from './support/otlp-receiver.ts';

/**
 * Short intervals, so that the tests see their effects. A send has more time than a busy machine
 * takes for it.
 */
const INTERVALS = {
  POLL_AFTER_MS: '1500',
  POLL_INTERVAL_MS: '1000',
  REDISPATCH_AFTER_MS: '1000',
  HOOK_TIMEOUT_MS: '3000',
  TWILIO_TIMEOUT_MS: '8000',
  SMTP_SOCKET_TIMEOUT_MS: '8000',
  CLAIM_LEASE_MS: '4000',
  SEND_LEASE_MS: '10000',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_LEASE_MS: '7000',
};

/**
 * One installation for all of these: its start takes four times the CPU of one process. They kill
 * services and set faults in the sandbox, so each has it to itself, one after the other.
 */
let collector: OtlpReceiver;
let tidings: Awaited<ReturnType<typeof startTidings>>;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  tidings = await startTidings({
    name: 'services-on-kafka',
    form: 'services-on-kafka',
    env: {
      ...INTERVALS,
      SEND_CONCURRENCY: String(SEND_CONCURRENCY),
      // Sampling is off: only requests with a sampled traceparent are traced.
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '0',
      TRUST_CALLER_TRACEPARENT: 'true',
    },
  });
}, 120_000);
afterAll(async () => {
  await tidings?.stop();
  await collector?.close();
}, 60_000);

describe('from POST to outcome', () => {
  outcomeTests(() => tidings);
});
describe('canaries', () => {
  canaryTests(() => tidings);
});
describe('traces', () => {
  traceTests(() => ({ ...tidings, collector }));
});
describe('webhooks', () => {
  webhookTests(() => tidings);
});
describe('control', () => {
  controlTests(() => tidings);
});
// Last: it removes the receiver of provider callbacks.
describe('SMS and hooks', () => {
  smsAndHookTests(() => tidings);
});
