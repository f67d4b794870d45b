import type { Database } from '@tidings/postgres/database';

/** Each time that Postgres' clock writes, of the tables that sending works on. */
const TIMES = {
  deliveries: ['created_at', 'updated_at', 'next_at', 'lease_until', 'looked_up_at'],
  delivery_addresses: ['updated_at', 'next_at', 'lease_until'],
  campaign_chunks: ['expanded_at', 'due_at', 'leased_until', 'unresolved_at', 'written_at'],
} as const;
export type TableOfTimes = keyof typeof TIMES;

/** Makes rows of a campaign as they are when Postgres' clock was an hour ahead when it wrote them, and is right now. */
export async function writeAnHourAhead(
  db: Database,
  campaignId: string,
  { tables = Object.keys(TIMES) as TableOfTimes[], where = 'true' } = {},
): Promise<void> {
  for (const table of tables) {
    const times = TIMES[table]
      .map((column) => `${column} = ${column} + interval '1 hour'`)
      .join(', ');
    await db.sql.query(`update ${table} set ${times} where campaign_id = $1 and ${where}`, [
      campaignId,
    ]);
  }
}
