import type { DeliveryReason, DeliveryState } from '@tidings/contracts/push/deliveries';
import {
  BEFORE_ALL,
  listDeliveries,
  readDeliveries,
  type DeliveryPosition,
  type DeliveryRecord,
} from '@tidings/campaign-reports/list-deliveries';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Maximum deliveries scanned per page with a filter. Indexes must not contain columns that a send
 * changes (see deliveries in 77_baseline), so rare matches are found by scanning.
 */
const SCANNED_MAX = 50_000;

export type DeliveriesQuery = {
  readonly limit: number;
  /** The id of the last scanned delivery. */
  readonly cursor?: string;
  readonly states?: readonly DeliveryState[];
  readonly reasons?: readonly DeliveryReason[];
  readonly customUserId?: string;
};

export type DeliveriesPage = {
  readonly items: readonly DeliveryRecord[];
  readonly nextCursor: string | null;
};

/**
 * A page of a campaign's deliveries; null for an unknown cursor. The cost is bounded for any
 * campaign size: with a selective filter a page may be short, and its cursor continues the scan.
 */
export async function findDeliveries(
  db: Database,
  campaignId: string,
  query: DeliveriesQuery,
): Promise<DeliveriesPage | null> {
  const { limit, cursor, states, reasons, customUserId } = query;
  const after = cursor ? await readPosition(db, campaignId, cursor) : BEFORE_ALL;
  if (after === null) return null;
  if (customUserId !== undefined || (states === undefined && reasons === undefined)) {
    const rows = await listDeliveries(db, campaignId, {
      after,
      limit: limit + 1,
      ...(customUserId !== undefined && { customUserId }),
    });
    const isWanted = ({ status, reason }: DeliveryRecord): boolean =>
      (states?.includes(status) ?? true) &&
      (reasons === undefined || (reason !== null && reasons.includes(reason)));
    return {
      items: rows.slice(0, limit).filter(isWanted),
      nextCursor: rows.length > limit ? (rows[limit - 1]?.deliveryId ?? null) : null,
    };
  }
  const { rows } = await db.sql.query<{ id: string | null; edge: string | null }>(
    statement('find-deliveries'),
    [
      campaignId,
      after.chunkNo,
      after.id,
      limit + 1,
      states ?? null,
      reasons ?? null,
      SCANNED_MAX - 1,
    ],
  );
  const ids = rows.flatMap((row) => row.id ?? []);
  const shown = ids.slice(0, limit);
  const nextCursor = ids.length > limit ? (shown.at(-1) ?? null) : (rows[0]?.edge ?? null);
  return { items: await readDeliveries(db, shown), nextCursor };
}

async function readPosition(
  db: Database,
  campaignId: string,
  deliveryId: string,
): Promise<DeliveryPosition | null> {
  const { rows } = await db.sql.query<DeliveryPosition>(statement('read-delivery-position'), [
    deliveryId,
    campaignId,
  ]);
  return rows[0] ?? null;
}
