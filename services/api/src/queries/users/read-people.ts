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

type Facts = Omit<Person, 'customUserId'>;

/** Rows about recipients, each with what people recognise them by; null if no user has the id now. */
export async function withPeople<Row extends { readonly customUserId: string }>(
  sql: Sql,
  applicationId: string,
  rows: readonly Row[],
): Promise<(Row & { readonly person: Facts | null })[]> {
  const people = await readPeople(
    sql,
    applicationId,
    rows.map((row) => row.customUserId),
  );
  return rows.map((row) => ({ ...row, person: factsOf(people.get(row.customUserId)) }));
}

function factsOf(person: Person | undefined): Facts | null {
  if (person === undefined) return null;
  const { customUserId: _customUserId, ...facts } = person;
  return facts;
}
