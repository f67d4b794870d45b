import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** What was filled into the personal message of a delivery: from it the same words come back. */
export type DeliveryData = {
  /** A hash of the words: a UUID. */
  readonly words: string;
  /** Milliseconds since the epoch. */
  readonly renderedAt: number;
  /** Place in the templates of the campaign. */
  readonly templateNo: number;
  /** Place in the variants of the template; null: its own message. */
  readonly variantNo: number | null;
  /** Version of what rendered it. */
  readonly renderer: number;
  /** JSON. */
  readonly values: string;
};

const READ = definePrepared(statement('read-delivery-data'));

/** What was filled in, by delivery; nothing of those that have no record. @callers channel-worker, api */
export async function readDeliveryData(
  sql: Sql,
  campaignId: string,
  deliveryIds: readonly string[],
): Promise<Map<string, DeliveryData>> {
  const { rows } = await sql.query<{
    delivery_id: string;
    words: string;
    rendered_at: number;
    template_no: number;
    variant_no: number | null;
    renderer: number;
    filled_in: string;
  }>(READ, [campaignId, deliveryIds]);
  return new Map(
    rows.map((row) => [
      row.delivery_id,
      {
        words: row.words,
        // Stored to the microsecond, of a whole millisecond.
        renderedAt: Math.round(row.rendered_at),
        templateNo: row.template_no,
        variantNo: row.variant_no,
        renderer: row.renderer,
        values: row.filled_in,
      },
    ]),
  );
}

/**
 * The parameters by which a statement writes what was filled in: one list for each column, null where
 * a row has none.
 */
export function columnsOf(rows: readonly { readonly data?: DeliveryData }[]): unknown[] {
  // Of a campaign that is the same for all.
  if (rows.every(({ data }) => data === undefined)) return [null, null, null, null, null, null];
  const column = <T>(of: (data: DeliveryData) => T): (T | null)[] =>
    rows.map(({ data }) => (data === undefined ? null : of(data)));
  return [
    column(({ words }) => words),
    column(({ renderedAt }) => renderedAt),
    column(({ templateNo }) => templateNo),
    column(({ variantNo }) => variantNo),
    column(({ renderer }) => renderer),
    column(({ values }) => values),
  ];
}

/** Of deliveries that begin anew, or whose recipient is deleted. */
export async function deleteDeliveryData(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length > 0) await sql.query(statement('delete-delivery-data'), [deliveryIds]);
}

/** A delivery of a campaign: to whom, and whether an attempt has begun. @callers api */
export async function findSentDelivery(
  sql: Sql,
  campaignId: string,
  deliveryId: string,
): Promise<{ readonly customUserId: string; readonly isBegun: boolean } | null> {
  const { rows } = await sql.query<{ custom_user_id: string; is_begun: boolean }>(
    statement('find-sent-delivery'),
    [campaignId, deliveryId],
  );
  const [row] = rows;
  return row === undefined ? null : { customUserId: row.custom_user_id, isBegun: row.is_begun };
}
