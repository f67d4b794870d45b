import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { RehearsedPerson } from './rehearsing.ts';

const statement = statementsIn(import.meta.dirname);

const ID_BYTES = 16;

/** People in an order that has nothing to do with them. */
export type PeopleList = {
  /** How many there are, also of those who are not in the list. */
  readonly count: number;
  readonly length: number;
  /** Their ids, from a place on. */
  at(start: number, limit: number): string[];
};

/** People who did something in a period. A million of them take 16 MB. */
export async function listPeople(
  sql: Sql,
  {
    applicationId,
    slugs,
    from,
    to,
    limit,
  }: {
    readonly applicationId: string;
    readonly slugs: readonly string[];
    readonly from: number;
    readonly to: number;
    readonly limit: number;
  },
): Promise<PeopleList> {
  const { rows } = await sql.query<{ number: number; ids: Buffer }>(statement('list-people'), [
    applicationId,
    slugs,
    from,
    to,
    limit,
  ]);
  return toList(rows[0] ?? { number: 0, ids: Buffer.alloc(0) });
}

/** All people who were registered by an instant, in the same order. */
export async function listRegistered(
  sql: Sql,
  {
    applicationId,
    to,
    limit,
  }: { readonly applicationId: string; readonly to: number; readonly limit: number },
): Promise<PeopleList> {
  const { rows } = await sql.query<{ number: number; ids: Buffer }>(statement('list-registered'), [
    applicationId,
    to,
    limit,
  ]);
  return toList(rows[0] ?? { number: 0, ids: Buffer.alloc(0) });
}

function toList({ number, ids }: { readonly number: number; readonly ids: Buffer }): PeopleList {
  const length = ids.length / ID_BYTES;
  return {
    count: number,
    length,
    at: (start, limit) =>
      Array.from({ length: Math.max(0, Math.min(limit, length - start)) }, (_each, index) =>
        ids.toString('hex', (start + index) * ID_BYTES, (start + index + 1) * ID_BYTES),
      ),
  };
}

/** Those of them who are still there, in their order. */
export async function readPeople(
  sql: Sql,
  userIds: readonly string[],
): Promise<Omit<RehearsedPerson, 'events'>[]> {
  const { rows } = await sql.query<{
    id: string;
    custom_user_id: string;
    registered_ms: number;
  }>(statement('read-listed-people'), [userIds]);
  return rows.map((row) => ({
    userId: row.id,
    customUserId: row.custom_user_id,
    registeredAt: row.registered_ms,
  }));
}
