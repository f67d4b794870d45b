import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { shardOf } from '@tidings/user-changes/changes';

const statement = statementsIn(import.meta.dirname);

/** People of the application that one step of a build passes: a sixteenth is of its shard. */
const PEOPLE_OF_STEP = 10_000;

/** A build of a live segment that is not through with a shard. */
export type OpenBuild = {
  readonly applicationId: string;
  readonly slug: string;
  readonly buildId: string;
  readonly builtUpTo: string | null;
};

/**
 * A build that can go on in a shard: all transactions have ended that do not announce yet what the
 * segment listens to. Null: there is none. @callers automations
 */
export async function readOpenBuild(sql: Sql, shard: number): Promise<OpenBuild | null> {
  await sql.query(statement('note-segment-heard'), [shard]);
  const { rows } = await sql.query<{
    application_id: string;
    slug: string;
    build_id: string;
    built_up_to: string | null;
  }>(statement('read-open-build'), [shard]);
  const [row] = rows;
  return row === undefined
    ? null
    : {
        applicationId: row.application_id,
        slug: row.slug,
        buildId: row.build_id,
        builtUpTo: row.built_up_to,
      };
}

/** The next people that a build looks at, of one shard. `upTo` null: there are no more. */
export async function nextPeople(
  sql: Sql,
  { applicationId, builtUpTo }: OpenBuild,
  { shard, limit = PEOPLE_OF_STEP }: { readonly shard: number; readonly limit?: number },
): Promise<{ readonly userIds: readonly string[]; readonly upTo: string | null }> {
  const { rows } = await sql.query<{ id: string; custom_user_id: string }>(
    statement('read-next-people'),
    [applicationId, builtUpTo ?? '', limit],
  );
  return {
    userIds: rows.flatMap(({ id }) => (shardOf(id) === shard ? [id] : [])),
    upTo: rows.length < limit ? null : (rows.at(-1)?.custom_user_id ?? null),
  };
}

/** Notes how far a build is in a shard; null: it is through. @callers automations */
export async function noteBuilt(
  sql: Sql,
  { applicationId, slug, buildId }: OpenBuild,
  { shard, upTo }: { readonly shard: number; readonly upTo: string | null },
): Promise<void> {
  await sql.query(statement('note-built'), [applicationId, slug, shard, buildId, upTo]);
}
