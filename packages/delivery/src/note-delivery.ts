import type { Channel } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';

/** What is told of a delivery without changing it or its campaign's counts. */
export type DeliveryNote = {
  readonly deliveryId: string;
  /**
   * `unsubscribed`: from another channel; from the delivery's own it is an outcome of it. `bounce_delayed`: a server on the way has
   * not delivered it yet, and still tries.
   */
  readonly event: 'user.unsubscribed' | 'user.resubscribed' | 'delivery.bounce_delayed';
  /** That it is about, where it is not the delivery's. */
  readonly channel?: Channel;
  readonly providerCode?: string;
  /** Never an address. */
  readonly detail?: string;
};

/** Writes an entry into the event log of a delivery's campaign, which is its webhook too, where there is one. @callers client-api */
export async function noteDelivery(
  sql: Sql,
  { deliveryId, event, channel, providerCode, detail }: DeliveryNote,
): Promise<void> {
  await sql.query(
    `insert into campaign_events (campaign_id, type, delivery_id, attempt, status, provider_code, detail, channel)
     select d.campaign_id, $2, d.id, d.attempts, d.state, $3, $4, $5 from deliveries d where d.id = $1`,
    [deliveryId, event, providerCode ?? null, detail ?? null, channel ?? null],
  );
}
