import type { Channel } from '@tidings/contracts/channels/channels';
import type { Bounce } from '@tidings/contracts/push/bounces';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** An event of a delivery that changes neither its state nor its campaign's counters. */
export type DeliveryEvent = {
  readonly deliveryId: string;
  /**
   * `unsubscribed`: from another channel; from the delivery's own channel it is a delivery update.
   * `bounce_delayed`: a mail server still tries to deliver it.
   */
  readonly event: 'user.unsubscribed' | 'user.resubscribed' | 'delivery.bounce_delayed';
  /** Channel of the event, if it is not the delivery's. */
  readonly channel?: Channel;
  readonly providerCode?: string;
  /** Must not contain an address. */
  readonly detail?: string;
  readonly bounce?: Bounce;
};

/**
 * Writes an event-log entry for a delivery, which is also its webhook if the event has one.
 * @callers client-api
 */
export async function logDeliveryEvent(
  sql: Sql,
  { deliveryId, event, channel, providerCode, detail, bounce }: DeliveryEvent,
): Promise<void> {
  await sql.query(statement('log-delivery-event'), [
    deliveryId,
    event,
    providerCode ?? null,
    detail ?? null,
    channel ?? null,
    bounce === undefined ? null : JSON.stringify(bounce),
  ]);
}
