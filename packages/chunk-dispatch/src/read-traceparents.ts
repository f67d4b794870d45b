import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Traceparents of the traced campaigns, by id. */
export async function readTraceparents(
  db: Database,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.sql.query<{ id: string; traceparent: string }>(
    statement('read-traceparents'),
    [[...new Set(campaignIds)]],
  );
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
}
