import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Deletes what rehearsals show of people. Once their users are deleted in the same transaction: none
 * is stored after that. @callers user-data
 */
export async function forgetRehearsedPeople(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql.query(statement('delete-traces-of-people'), [userIds]);
}
