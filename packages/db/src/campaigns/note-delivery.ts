import type { Sql } from '../database.ts';

/** What is told of a delivery without changing it or its campaign's counts. */
export type DeliveryNote = {
  readonly deliveryId: string;
  /** `bounce_delayed`: a server on the way has not delivered it yet, and still tries. */
  readonly event: 'user.resubscribed' | 'delivery.bounce_delayed';
  readonly providerCode?: string;
  /** Never an address. */
  readonly detail?: string;
};

/** Writes an entry into the event log of a delivery's campaign, which is its webhook too, where there is one. @callers client-api */
export async function noteDelivery(sql: Sql, { deliveryId, event, providerCode, detail }: DeliveryNote): Promise<void> {
  await sql.query(
    `insert into campaign_events (campaign_id, type, delivery_id, attempt, status, provider_code, detail)
     select d.campaign_id, $2, d.id, d.attempts, d.state, $3, $4 from deliveries d where d.id = $1`,
    [deliveryId, event, providerCode ?? null, detail ?? null],
  );
}
