import type { Database } from '@tidings/postgres/database';

/** By campaign, those that are traced. */
export async function traceparentsOf(
  db: Database,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.sql.query<{ id: string; traceparent: string }>(
    'select id, traceparent from campaigns where id = any($1) and traceparent is not null',
    [[...new Set(campaignIds)]],
  );
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
}
