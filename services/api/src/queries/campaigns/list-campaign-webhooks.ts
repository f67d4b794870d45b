import type { WebhookDeliveryState, WebhookKind } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { firstIdSince } from '@tidings/postgres/first-id-since';

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
  const { rows } = await db.sql.query<Row>(FIND, [
    applicationId,
    campaignId,
    cursor ?? firstIdSince(createdAt - CLOCKS_APART_MS),
    limit + 1,
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

// All endpoints are scanned up to the smallest edge: beyond it the result would be incomplete.
const FIND = `
  with edges as (
    select e.id as endpoint_id, e.url,
           (select id from webhook_deliveries where endpoint_id = e.id and id > $3::uuid order by id offset ${SCANNED_MAX - 1} limit 1) as edge
    from webhook_endpoints e where e.application_id = $1),
  look as (select min(edge::text)::uuid as edge from edges)
  select found.*, look.edge
  from look left join lateral (
    select w.id, e.endpoint_id, e.url, w.event_id, w.type, w.occurred_at, w.data ->> 'deliveryId' as delivery_id, w.data ->> 'customUserId' as custom_user_id, w.state, w.attempts, w.settled_at
    from edges e cross join lateral (
      select * from webhook_deliveries
      where endpoint_id = e.endpoint_id and id > $3::uuid and id <= coalesce(look.edge, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and data ->> 'campaignId' = $2
      order by id limit $4) as w
    order by w.id limit $4) as found on true
  order by found.id`;
