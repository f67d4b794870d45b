import type { Database } from '@tidings/postgres/database';

/** Ids of an application's webhooks that are to be sent, leased ones included. */
export async function listUnsentWebhooks(
  db: Database,
  applicationId: string,
): Promise<readonly string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    `select d.id from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id where e.application_id = $1 and d.state = 'pending'`,
    [applicationId],
  );
  return rows.map(({ id }) => id);
}

/** How many of these webhooks are not sent yet. */
export async function countUnsentWebhooks(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.sql.query<{ count: number }>(
    `select count(*)::int as count from webhook_deliveries where id = any($1) and state = 'pending'`,
    [ids],
  );
  return rows[0]?.count ?? 0;
}
