import type { WebhookDeliveryState, WebhookKind } from '@tidings/contracts/webhooks';
import type { Database } from '@tidings/postgres/database';
import { firstIdSince } from '@tidings/postgres/first-id-since';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Maximum webhook deliveries scanned per endpoint and page. */
const SCANNED_MAX = 10_000;

/** A webhook delivery of a campaign. */
export type CampaignWebhook = {
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  readonly eventId: string;
  readonly type: WebhookKind;
  readonly occurredAt: number;
  readonly deliveryId?: string;
  readonly customUserId?: string;
  readonly status: WebhookDeliveryState;
  readonly attempts: number;
  readonly settledAt: number | null;
};

type Row = {
  readonly id: string | null;
  readonly endpoint_id: string;
  readonly url: string;
  readonly event_id: string;
  readonly type: WebhookKind;
  readonly occurred_at: Date;
  readonly delivery_id: string | null;
  readonly custom_user_id: string | null;
  readonly state: WebhookDeliveryState;
  readonly attempts: number;
  readonly settled_at: Date | null;
  readonly edge: string | null;
};

export type CampaignWebhooksQuery = {
  readonly applicationId: string;
  readonly campaignId: string;
  readonly createdAt: number;
  readonly limit: number;
  readonly cursor?: string;
};

/**
 * Webhook deliveries of a campaign to all endpoints, oldest first. Each page scans a bounded part
 * of every endpoint's log since the campaign started. It may be short or empty; its cursor
 * continues the scan.
 */
export async function listCampaignWebhooks(
  db: Database,
  query: CampaignWebhooksQuery,
): Promise<{ readonly items: CampaignWebhook[]; readonly nextCursor: string | null }> {
  const { applicationId, campaignId, createdAt, limit, cursor } = query;
  const { rows } = await db.sql.query<Row>(statement('list-campaign-webhooks'), [
    applicationId,
    campaignId,
    cursor ?? firstIdSince(createdAt - CLOCKS_APART_MS),
    limit + 1,
    SCANNED_MAX - 1,
  ]);
  const edge = rows[0]?.edge ?? null;
  const found = rows.flatMap((row) => (row.id === null ? [] : [toCampaignWebhook(row, row.id)]));
  const items = found.slice(0, limit);
  return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : edge };
}

function toCampaignWebhook(row: Row, id: string): CampaignWebhook {
  return {
    id,
    webhookId: row.endpoint_id,
    url: row.url,
    eventId: row.event_id,
    type: row.type,
    occurredAt: row.occurred_at.getTime(),
    ...(row.delivery_id !== null && { deliveryId: row.delivery_id }),
    ...(row.custom_user_id !== null && { customUserId: row.custom_user_id }),
    status: row.state,
    attempts: row.attempts,
    settledAt: row.settled_at?.getTime() ?? null,
  };
}

/**
 * Tolerated clock difference: ids of webhook deliveries come from another host than the campaign's
 * creation time.
 */
const CLOCKS_APART_MS = 60_000;
