import type { Person } from '@tidings/api-spec/person-schema';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Names and addresses of registered users, by customUserId. Others are left out. */
export async function readPeople(
  sql: Sql,
  applicationId: string,
  customUserIds: readonly string[],
): Promise<ReadonlyMap<string, Person>> {
  if (customUserIds.length === 0) return new Map();
  const { rows } = await sql.query<Person>(statement('read-people'), [
    applicationId,
    customUserIds,
  ]);
  return new Map(rows.map((person) => [person.customUserId, person]));
}
