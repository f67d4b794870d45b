import type { WebhookAttemptError, WebhookDeliveryState } from '@tidings/contracts/webhooks';
import {
  queueWebhookPing,
  readWebhookDelivery,
  type WebhookDeliveryRecord,
} from '@tidings/webhook-queue/delivery-log';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiDependencies } from '../../dependencies.ts';

/** The result of a test event. */
export type PingResult = {
  readonly ok: boolean;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly status: WebhookDeliveryState;
  readonly statusCode?: number;
  readonly error?: WebhookAttemptError;
  readonly durationMs?: number;
};

const POLL_MS = 100;
const EVENT_ID_BYTES = 16;

/** Queues a test event like any other event and waits for its single attempt. */
export async function sendPing(
  { db, testSendTimeoutMs }: Pick<ApiDependencies, 'db' | 'testSendTimeoutMs'>,
  endpoint: { readonly applicationId: string; readonly endpointId: string },
): Promise<PingResult | 'disabled' | null> {
  const eventId = `evt_${randomBytes(EVENT_ID_BYTES).toString('hex')}`;
  const queued = await queueWebhookPing(db, { ...endpoint, eventId });
  if (queued === null || queued === 'disabled') return queued;
  const { deliveryId } = queued;

  const deadline = performance.now() + testSendTimeoutMs;
  let entry: WebhookDeliveryRecord | null = null;
  while (performance.now() < deadline) {
    entry = await readWebhookDelivery(db, { ...endpoint, deliveryId });
    if (entry === null || entry.status !== 'pending') break;
    await delay(POLL_MS);
  }
  const status = entry?.status ?? 'pending';
  const { at: _at, ...attempt } = entry?.attemptLog.at(-1) ?? { at: 0 };
  return { ok: status === 'succeeded', deliveryId, eventId, status, ...attempt };
}
