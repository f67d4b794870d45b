import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Forgets where chunks were announced, since positions of one bus mean nothing on another. The sweep
 * announces them again. @callers install
 */
export async function forgetAnnouncements(sql: Sql): Promise<void> {
  await sql.query(statement('forget-announcements'));
}
