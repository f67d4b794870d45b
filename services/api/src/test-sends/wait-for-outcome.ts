import { SUCCESS_STATES } from '@tidings/contracts/push/deliveries';
import { listDeliveries, type DeliveryRecord } from '@tidings/campaign-reports/list-deliveries';
import type { Database } from '@tidings/postgres/database';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
/** `waiting` is a success: the message is available to devices, which may show it later. */
export const SUCCEEDED = new Set<string>([...SUCCESS_STATES, 'waiting']);
const SETTLED = new Set([...SUCCEEDED, 'failed', 'unknown', 'expired', 'canceled']);

/** The only delivery of a test once it has an outcome; null if that takes too long. */
export async function waitForOutcome(
  db: Database,
  campaignId: string,
  timeoutMs: number,
): Promise<DeliveryRecord | null> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const [delivery] = await listDeliveries(db, campaignId, { limit: 1 });
    if (delivery !== undefined && SETTLED.has(delivery.status)) return delivery;
    await delay(POLL_MS);
  }
  return null;
}
