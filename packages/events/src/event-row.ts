import type { EventKind } from '@tidings/contracts';
import { parseExactJson } from '@tidings/platform';
import type { EventRecord } from './events.ts';

/**
 * SQL: joins `d`, the current definition of event `e`; after a merge it differs from the stored
 * one.
 */
export const EVENT_DEFINITION = `
  join definitions o on o.application_id = e.application_id and o.slug = e.slug
  join definitions d on d.application_id = e.application_id and d.slug = coalesce(o.merged_into, o.slug)`;

/** SQL: the columns of `e` and `d` that {@link toEventRecord} reads. */
export const EVENT_COLUMNS = `
  e.message_id, e.type, d.slug, d.name, e.time::text, e.received_at, e.attributes::text, e.revenue, e.currency, e.request_id, e.message_index`;

export type EventRow = {
  readonly message_id: string;
  readonly type: EventKind;
  readonly slug: string;
  readonly name: string;
  readonly time: string;
  readonly received_at: Date;
  readonly attributes: string | null;
  readonly revenue: number | null;
  readonly currency: string | null;
  readonly request_id: string;
  readonly message_index: number;
};

/** Maps a row to an event of the API. Integers beyond 2^53 are bigints. */
export function toEventRecord(row: EventRow): EventRecord {
  return {
    id: row.message_id,
    type: row.type,
    slug: row.slug,
    name: row.name,
    time: parseExactJson(row.time) as number | bigint,
    receivedAt: row.received_at.getTime(),
    ...(row.attributes !== null && { attributes: parseExactJson(row.attributes) as object }),
    ...(row.revenue !== null && { revenue: row.revenue }),
    ...(row.currency !== null && { currency: row.currency }),
  };
}
