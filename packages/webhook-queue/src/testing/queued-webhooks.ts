import { systemIds, type SecretBox } from '@tidings/platform';
import { createTestApplication } from '@tidings/testing';
import { createWebhookEndpoint } from '../endpoints.ts';
import { queueWebhookPing, readWebhookDelivery } from '../delivery-log.ts';
import {
  claimWebhooks,
  recordWebhookOutcomes,
  type ClaimedWebhook,
  type WebhookOutcome,
  type ClaimLimits,
} from '../queue.ts';
import type { Database } from '@tidings/postgres/database';

export const ANY: ClaimLimits = { rowsByEndpoint: new Map(), rowsPerOther: 100, rowsMax: 100 };

const DISABLE_AFTER_MS = 5 * 86_400_000;

type Endpoint = {
  readonly applicationId: string;
  readonly endpointId: string;
  readonly secret: string;
};

/** Helpers for tests that queue, claim and record webhooks. */
export function webhookHelpers(db: Database, box: SecretBox) {
  async function newEndpoint(given: { readonly applicationId?: string } = {}): Promise<Endpoint> {
    const { applicationId = (await createTestApplication(db)).applicationId } = given;
    const endpoint = await createWebhookEndpoint(db, box, {
      applicationId,
      url: 'https://hooks.example/',
      description: '',
      kinds: [],
      channels: [],
    });
    if (endpoint === 'too_many') throw new Error('too many endpoints');
    return { applicationId, endpointId: endpoint.id, secret: endpoint.secret };
  }

  async function queueEvents(endpoint: Endpoint, count = 1): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const queued = await queueWebhookPing(db, {
        ...endpoint,
        eventId: `evt_${systemIds.uuid()}`,
      });
      if (queued === null || queued === 'disabled') throw new Error('nothing queued');
      ids.push(queued.deliveryId);
    }
    return ids;
  }

  const claim = (limits: Partial<ClaimLimits> = {}) =>
    claimWebhooks(db, box, { ...ANY, ...limits, leaseMs: 60_000 });

  const read = (endpoint: Endpoint, deliveryId: string) =>
    readWebhookDelivery(db, { ...endpoint, deliveryId });

  const record = (outcomes: readonly WebhookOutcome[]) =>
    recordWebhookOutcomes(db, outcomes, { disableAfterMs: DISABLE_AFTER_MS });

  const outcome = (
    { deliveryId, fence }: ClaimedWebhook,
    fields: Pick<WebhookOutcome, 'outcome'> & Partial<WebhookOutcome>,
  ): WebhookOutcome => ({
    deliveryId,
    fence,
    ...(fields.outcome !== 'put_off' && { attempt: { at: 1, durationMs: 2, statusCode: 500 } }),
    ...fields,
  });

  const endLeases = () =>
    db.sql.query(
      "update webhook_deliveries set lease_until = now() - interval '1 s', next_at = now() - interval '1 s' where lease_until is not null",
    );

  const makeDue = () =>
    db.sql.query("update webhook_deliveries set next_at = now() where state = 'pending'");

  return { newEndpoint, queueEvents, claim, read, record, outcome, endLeases, makeDue };
}
