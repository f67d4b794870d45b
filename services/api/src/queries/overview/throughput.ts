import type { Sql } from '@tidings/postgres/database';

/** Arrivals in one minute; `at` is its start. */
export type Minute = {
  readonly at: number;
  readonly requests: number;
  readonly messages: number;
  readonly refused: number;
};

const MINUTE_MS = 60_000;

/**
 * The last `minutes` minutes, oldest first; the current one is last. `refused` includes rejected
 * requests without a log entry.
 */
export async function readThroughput(
  sql: Sql,
  {
    applicationId,
    minutes,
    nowMs,
  }: { readonly applicationId: string; readonly minutes: number; readonly nowMs: number },
): Promise<Minute[]> {
  const last = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const first = last - (minutes - 1) * MINUTE_MS;
  const { rows } = await sql.query<{
    minute: Date;
    requests: number;
    messages: number;
    refused: number;
  }>(
    `select minute, sum(requests)::float8 as requests, sum(messages)::float8 as messages, sum(refused)::float8 as refused
     from (select minute, requests, messages, 0 as refused from ingest_minutes where application_id = $1 and minute >= $2
           union all
           select date_trunc('minute', received_at), 0, 0, 1 + unlisted from refused_requests where application_id = $1 and received_at >= $2) as x
     group by minute`,
    [applicationId, new Date(first)],
  );
  const byMinute = new Map(rows.map((row) => [row.minute.getTime(), row]));
  return Array.from({ length: minutes }, (_, index) => {
    const at = first + index * MINUTE_MS;
    const { requests = 0, messages = 0, refused = 0 } = byMinute.get(at) ?? {};
    return { at, requests, messages, refused };
  });
}
