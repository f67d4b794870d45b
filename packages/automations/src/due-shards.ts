import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { SHARDS } from '@tidings/user-changes/changes';

const statement = statementsIn(import.meta.dirname);
const READ_DUE_SHARDS = definePrepared(statement('read-due-shards'));

/** A shard with runs that are due, and since when the first is, in milliseconds. */
export type DueShard = { readonly shard: number; readonly lateMs: number };

/** The shards with due runs, the latest first. */
export async function readDueShards(sql: Sql): Promise<DueShard[]> {
  const { rows } = await sql.query<DueShard>(READ_DUE_SHARDS, [SHARDS]);
  return rows;
}
