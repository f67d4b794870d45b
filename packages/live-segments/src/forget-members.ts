import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Of people who are deleted. The shards of the people are held. @callers automations */
export async function forgetMembers(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql.query(statement('delete-members-of-people'), [userIds]);
}

/**
 * Deletes up to `limit` members of segments that are not live any more. Returns their number.
 * @callers scheduler
 */
export async function deleteOldMembers(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.query(statement('delete-old-members'), [limit]);
  return rowCount ?? 0;
}
