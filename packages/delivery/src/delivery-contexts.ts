import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';
import { parseExactJson } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** What an automation knew of a recipient when it sent. */
export type DeliveryContext = {
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly enteredAt: number;
  /** Null: no event began the run. */
  readonly event: TriggerEvent | null;
};

const READ = definePrepared(statement('read-delivery-contexts'));

/** A context as messages are rendered with it. */
type RecipientContext = Pick<DeliveryContext, 'event'> & {
  readonly run: { readonly id: string; readonly enteredAt: number };
};

/** What an automation knew of these recipients of a campaign, by customUserId. */
export async function readContexts(
  sql: Sql,
  campaignId: string,
  customUserIds: readonly string[],
): Promise<Map<string, RecipientContext>> {
  const { rows } = await sql.query<{
    custom_user_id: string;
    run_id: string;
    entered_at: Date;
    event: string | null;
  }>(READ, [campaignId, customUserIds]);
  return new Map(
    rows.map((row) => [
      row.custom_user_id,
      {
        event: row.event === null ? null : (parseExactJson(row.event) as TriggerEvent),
        run: { id: row.run_id, enteredAt: row.entered_at.getTime() },
      },
    ]),
  );
}

/** Of deliveries whose recipient is deleted. @callers delivery */
export async function deleteDeliveryContexts(
  sql: Sql,
  deliveryIds: readonly string[],
): Promise<void> {
  if (deliveryIds.length > 0) await sql.query(statement('delete-delivery-contexts'), [deliveryIds]);
}

/**
 * Deletes up to `limit` contexts of settled deliveries, of applications that keep no sent messages.
 * Returns how many. @callers scheduler
 */
export async function forgetSettledContexts(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(statement('forget-settled-contexts'), [limit]);
  return rowCount ?? 0;
}
