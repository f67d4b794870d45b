import { eventually } from '@tidings/testing';
import {
  claimWebhooks,
  recordWebhookOutcomes,
  type WebhookOutcome,
} from '@tidings/webhook-queue/queue';
import type { TestApi } from './test-api.ts';

export type Webhook = {
  readonly id: string;
  readonly secret: string;
  readonly [field: string]: unknown;
};
export type WebhookEntry = {
  readonly id: string;
  readonly eventId: string;
  readonly status: string;
  readonly [field: string]: unknown;
};

/** Creates an endpoint of the first tenant. */
export async function createWebhook(
  api: TestApi,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Webhook> {
  const answer = await api.request<Webhook>('POST', 'webhooks', {
    headers: api.asAdmin,
    body: { url: 'https://hooks.example/tidings', ...body },
  });
  return answer.body;
}

/** Waits for an event of this endpoint and records its outcome, as the webhooks service does. */
export function settleNext(
  { db, deps }: TestApi,
  endpointId: string,
  outcome: Omit<WebhookOutcome, 'deliveryId' | 'fence'>,
): Promise<void> {
  return eventually(async () => {
    const room = {
      only: [endpointId],
      rowsByEndpoint: new Map(),
      rowsPerOther: 1,
      rowsMax: 1,
      leaseMs: 60_000,
    };
    const [claimed] = await claimWebhooks(db, deps.box, room);
    if (claimed === undefined) throw new Error('nothing to send');
    await recordWebhookOutcomes(
      db,
      [{ ...outcome, deliveryId: claimed.deliveryId, fence: claimed.fence }],
      { disableAfterMs: 1e9 },
    );
  });
}
