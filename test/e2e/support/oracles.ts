import { STATE_GROUPS, type DeliveryState } from '@tidings/contracts/push/deliveries';
import type { LocalFile } from '@tidings/local';
import { connectDatabase } from '@tidings/postgres/database';
import type { Attempt } from './event-stream.ts';

/** Message ids in the events table with their number of rows. */
export async function storedEventIds(
  local: LocalFile,
  prefix: string,
): Promise<Map<string, number>> {
  const db = connectDatabase({
    databaseUrl: local.databaseUrl,
    poolMax: 1,
    applicationName: 'test',
  });
  try {
    const { rows } = await db.sql.query<{ message_id: string; n: string }>(
      'select message_id, count(*) as n from events where application_id = $1 and message_id like $2 group by 1',
      [local.applicationId, `${prefix}%`],
    );
    return new Map(rows.map((row) => [row.message_id, Number(row.n)]));
  } finally {
    await db.close();
  }
}

/** Number of registered users whose ids begin with this. */
export async function countRegistered(local: LocalFile, prefix: string): Promise<number> {
  const db = connectDatabase({
    databaseUrl: local.databaseUrl,
    poolMax: 1,
    applicationName: 'test',
  });
  try {
    const { rows } = await db.sql.query<{ n: number }>(
      'select count(*)::int as n from users where application_id = $1 and custom_user_id like $2 and registered_at is not null',
      [local.applicationId, `${prefix}%`],
    );
    return rows[0]?.n ?? 0;
  } finally {
    await db.close();
  }
}

/**
 * Differences from the ledger: acknowledged events not stored, events stored twice, events never
 * sent.
 */
export function compareWithLedger(ledger: readonly Attempt[], stored: ReadonlyMap<string, number>) {
  const sent = new Set(ledger.flatMap((attempt) => attempt.ids));
  const acknowledged = ledger
    .filter((attempt) => attempt.status === 200)
    .flatMap((attempt) => attempt.ids);
  return {
    lost: acknowledged.filter((id) => !stored.has(id)),
    twice: [...stored].filter(([, n]) => n !== 1).map(([id]) => id),
    invented: [...stored.keys()].filter((id) => !sent.has(id)),
  };
}

/** The counters of a campaign, and a recount of its deliveries. */
export async function countersAndRecount(local: LocalFile, campaignId: string) {
  const db = connectDatabase({
    databaseUrl: local.databaseUrl,
    poolMax: 1,
    applicationName: 'test',
  });
  try {
    const counted = await db.sql.query<{ state: string; n: string }>(
      'select state, sum(n) as n from campaign_counters where campaign_id = $1 group by 1 having sum(n) <> 0',
      [campaignId],
    );
    const rows = await db.sql.query<{ state: DeliveryState; n: string }>(
      'select state, count(*) as n from deliveries where campaign_id = $1 group by 1',
      [campaignId],
    );
    const recount: Record<string, number> = {};
    for (const row of rows.rows)
      recount[STATE_GROUPS[row.state]] = (recount[STATE_GROUPS[row.state]] ?? 0) + Number(row.n);
    return {
      counters: Object.fromEntries(counted.rows.map((row) => [row.state, Number(row.n)])),
      recount,
    };
  } finally {
    await db.close();
  }
}
