import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

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
  }>(statement('read-throughput'), [applicationId, new Date(first)]);
  const byMinute = new Map(rows.map((row) => [row.minute.getTime(), row]));
  return Array.from({ length: minutes }, (_, index) => {
    const at = first + index * MINUTE_MS;
    const { requests = 0, messages = 0, refused = 0 } = byMinute.get(at) ?? {};
    return { at, requests, messages, refused };
  });
}
