import type { Channel } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** What is told of a delivery without changing it or its campaign's counts. */
export type DeliveryEvent = {
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
export async function logDeliveryEvent(
  sql: Sql,
  { deliveryId, event, channel, providerCode, detail }: DeliveryEvent,
): Promise<void> {
  await sql.query(statement('log-delivery-event'), [
    deliveryId,
    event,
    providerCode ?? null,
    detail ?? null,
    channel ?? null,
  ]);
}
