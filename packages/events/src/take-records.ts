import type { IngestRecord } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';

/** The two consumers of the ingest topic; each takes every record once. */
export type IngestConsumer = 'users' | 'events';

const TAKEN_COLUMNS = {
  users: 'taken_by_users',
  events: 'taken_by_events',
} as const satisfies Record<IngestConsumer, string>;
const OTHERS = { users: 'events', events: 'users' } as const satisfies Record<
  IngestConsumer,
  IngestConsumer
>;

/**
 * Takes records for one consumer, by unique key: a record that was taken before, by this process or another, is left
 * out, so that redelivery and replay change nothing. First statement of a consumer's transaction.
 * A record that the other consumer has not taken either is first seen, unless it is so old that its traces may be past
 * their retention while its events still stand.
 * @callers ingest-consumer
 */
export async function takeRecords(
  sql: Sql,
  consumer: IngestConsumer,
  records: readonly IngestRecord[],
): Promise<IngestRecord[]> {
  const column = TAKEN_COLUMNS[consumer];
  const othersColumn = TAKEN_COLUMNS[OTHERS[consumer]];
  const byId = new Map(records.map((record) => [record.requestId, record]));
  const ordered = [...byId.values()].sort((a, b) => (a.requestId < b.requestId ? -1 : 1));
  const { rows } = await sql.query<{ request_id: string; is_first_seen: boolean }>(
    `insert into ingest_requests as r (request_id, application_id, received_at, message_count, ${column})
     select id, application_id, to_timestamp(received_at / 1000.0), message_count, true
     from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::int[]) as x(id, application_id, received_at, message_count)
     on conflict (request_id, received_at) do update set ${column} = true where not r.${column}
     returning request_id, not ${othersColumn} and received_at > now() - interval '1 day' as is_first_seen`,
    [
      ordered.map((record) => record.requestId),
      ordered.map((record) => record.applicationId),
      ordered.map((record) => record.receivedAt),
      ordered.map((record) => record.messages.length),
    ],
  );
  const taken = new Map(rows.map((row) => [row.request_id, row.is_first_seen]));
  return [...byId.values()].flatMap((record) => {
    const isFirstSeen = taken.get(record.requestId);
    return isFirstSeen === undefined ? [] : [{ ...record, isFirstSeen }];
  });
}
