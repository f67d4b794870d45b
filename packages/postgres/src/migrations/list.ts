import type { Client } from 'pg';
import type { Migration } from './files.ts';

/** An applied migration, as stored in the database. */
export type Applied = { readonly id: number; readonly name: string; readonly hash: string };

/**
 * The table of earlier releases: both runners read each other's rows, so a release can be rolled
 * back.
 */
const TABLE = `create table if not exists migrations (
  id integer primary key,
  name varchar(100) unique not null,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
)`;

/** Applied migrations by number; empty if the table does not exist. */
export async function readList(client: Client): Promise<readonly Applied[]> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass(format('%I.migrations', current_schema())) is not null as "isThere"`,
  );
  if (rows[0]?.isThere !== true) return [];
  return (await client.query<Applied>('select id, name, hash from migrations order by id')).rows;
}

export async function makeList(client: Client): Promise<void> {
  await client.query(TABLE);
}

/** Records a migration as applied. @callers postgres */
export async function addToList(
  client: Client,
  { id, name, hash }: Omit<Migration, 'sql'>,
): Promise<void> {
  await client.query('insert into migrations (id, name, hash) values ($1, $2, $3)', [
    id,
    name,
    hash,
  ]);
}
