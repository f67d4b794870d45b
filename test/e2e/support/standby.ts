import type { Stack, Standby } from '@tidings/local';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';

const FOLLOWS_WITHIN_MS = 60_000;

/**
 * A stopped standby whose data is that of some moment before this call returns: a late standby, or a
 * backup. Commits do not wait for it.
 */
export async function addStoppedStandby(stack: Stack): Promise<Standby> {
  const standby = await stack.addStandby();
  const db = connectDatabase({
    databaseUrl: stack.databaseUrl,
    poolMax: 1,
    applicationName: 'standby',
  });
  try {
    const { rows } = await db.sql.query<{ now: string }>('select pg_current_wal_lsn() as now');
    await db.sql.query(`alter system set synchronous_standby_names = ''`);
    await db.sql.query('select pg_reload_conf()');
    await eventually(
      async () => {
        const { rowCount } = await db.sql.query(
          `select from pg_stat_replication where sync_state = 'async' and replay_lsn >= $1::pg_lsn`,
          [rows[0]?.now],
        );
        if (rowCount === 0) throw new Error('the standby is synchronous, or behind');
      },
      { timeoutMs: FOLLOWS_WITHIN_MS },
    );
  } finally {
    await db.close();
  }
  await standby.stop();
  return standby;
}
