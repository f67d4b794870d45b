import type { DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { Database } from '../database.ts';
import { listDeliveries, readDeliveries, type DeliveryRecord } from './list-deliveries.ts';

/**
 * Deliveries that a filter looks at for one page. No index may name what a send changes (see 11_delivery_updates), so the
 * few that match are found by looking at all.
 */
const SCANNED_MAX = 50_000;

export type DeliveriesQuery = {
  readonly limit: number;
  readonly cursor?: string;
  readonly states?: readonly DeliveryState[];
  readonly reason?: DeliveryReason;
  readonly customUserId?: string;
};

export type DeliveriesPage = { readonly items: readonly DeliveryRecord[]; readonly nextCursor: string | null };

/**
 * A page of a campaign's deliveries in the order they were made. It costs a bounded look, however large the campaign is:
 * with a filter that few pass a page may be short, and its cursor goes on from there.
 */
export async function findDeliveries(db: Database, campaignId: string, query: DeliveriesQuery): Promise<DeliveriesPage> {
  const { limit, cursor, states, reason, customUserId } = query;
  if (customUserId !== undefined || (states === undefined && reason === undefined)) {
    const rows = await listDeliveries(db, campaignId, { limit: limit + 1, ...(cursor && { cursor }), ...(customUserId !== undefined && { customUserId }) });
    const isWanted = (row: DeliveryRecord): boolean => (states?.includes(row.status) ?? true) && (reason === undefined || row.reason === reason);
    return { items: rows.slice(0, limit).filter(isWanted), nextCursor: rows.length > limit ? (rows[limit - 1]?.deliveryId ?? null) : null };
  }
  const { rows } = await db.sql.query<{ id: string | null; edge: string | null }>(FIND, [campaignId, cursor ?? NIL, states ?? null, reason ?? null, limit + 1]);
  const ids = rows.flatMap((row) => row.id ?? []);
  const shown = ids.slice(0, limit);
  const nextCursor = ids.length > limit ? (shown.at(-1) ?? null) : (rows[0]?.edge ?? null);
  return { items: await readDeliveries(db, shown), nextCursor };
}

const NIL = '00000000-0000-0000-0000-000000000000';

// The look is as long as the first so many rows behind the cursor; `edge` is the last of them, where there are more.
const FIND = `
  with look as materialized (
    select (select id from deliveries where campaign_id = $1 and id > $2::uuid order by id offset ${SCANNED_MAX - 1} limit 1) as edge)
  select found.id, look.edge
  from look left join lateral (
    select d.id from deliveries d
    where d.campaign_id = $1 and d.id > $2::uuid and d.id <= coalesce(look.edge, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and ($3::text[] is null or d.state = any($3::text[])) and ($4::text is null or d.reason = $4)
    order by d.id limit $5) as found on true
  order by found.id`;
