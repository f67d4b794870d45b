import type { EventKind } from '@tidings/contracts/ingest/ingest';
import { parseExactJson } from '@tidings/platform';
import type { EventRecord } from './events.ts';

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
