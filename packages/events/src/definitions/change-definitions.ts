import { LIMITS } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { countDefinitions } from './budgets.ts';
import { readDefinition, type Definition } from './definitions.ts';
import { lockDefinitions } from './lock-definitions.ts';

/**
 * `merged`: the definition is another name of a different one, which is the one to change. `name_of_deleted`: a deleted
 * definition has the name. `too_many`: the budget has no room for a discarded one that would come back.
 */
export type DefinitionChangeRefused = 'name_taken' | 'name_of_deleted' | 'merged' | 'too_many';

/** Changes the named fields of a definition. Null when the application has none of this slug. @callers api */
export async function changeDefinition(
  db: Database,
  { applicationId, slug }: { readonly applicationId: string; readonly slug: string },
  change: { readonly name?: string; readonly discarded?: boolean },
): Promise<Definition | DefinitionChangeRefused | null> {
  const refusal = await db.transaction(async (sql): Promise<DefinitionChangeRefused | null> => {
    await lockDefinitions(sql, applicationId);
    const { rows } = await sql.query<ToChange>(
      `select d.merged_into, d.discarded, d.by_client_key, o.slug is not null as is_name_taken, o.deleted_at is not null as is_of_deleted
       from definitions d
       left join definitions o on o.application_id = $1 and o.kind = d.kind and o.name = $3 and o.slug <> $2
       where d.application_id = $1 and d.slug = $2 and d.deleted_at is null`,
      [applicationId, slug, change.name ?? null],
    );
    const [found] = rows;
    if (found === undefined) return null;
    if (found.merged_into !== null) return 'merged';
    if (found.is_name_taken) return found.is_of_deleted ? 'name_of_deleted' : 'name_taken';
    if (
      found.discarded &&
      change.discarded === false &&
      !(await hasPlace(sql, applicationId, found))
    )
      return 'too_many';
    await sql.query(
      'update definitions set name = coalesce($3, name), discarded = coalesce($4, discarded) where application_id = $1 and slug = $2',
      [applicationId, slug, change.name ?? null, change.discarded ?? null],
    );
    return null;
  });
  return refusal ?? readDefinition(db, applicationId, slug);
}

type ToChange = {
  readonly merged_into: string | null;
  readonly discarded: boolean;
  readonly by_client_key: boolean;
  readonly is_name_taken: boolean;
  readonly is_of_deleted: boolean;
};

/** Whether one more live definition fits into the budget that it counts in. */
async function hasPlace(
  sql: Sql,
  applicationId: string,
  { by_client_key: isByClient }: Pick<ToChange, 'by_client_key'>,
): Promise<boolean> {
  const { server, client } = await countDefinitions(sql, { applicationId });
  return isByClient ? client < LIMITS.clientDefinitionsMax : server < LIMITS.definitionsMax;
}

/**
 * Makes a definition another name of `into`: its events, those that were and those to come, are that one's. What was
 * merged into it before follows, so that a pointer always leads to a definition that is none itself.
 * `into_unknown`, `other_kind`, `merged` (either of the two is another name already), `into_discarded` or `itself` when
 * it cannot be; null when there is no such definition. @callers api
 */
export async function mergeDefinition(
  db: Database,
  {
    applicationId,
    slug,
    into,
  }: { readonly applicationId: string; readonly slug: string; readonly into: string },
): Promise<
  Definition | 'into_unknown' | 'other_kind' | 'merged' | 'into_discarded' | 'itself' | null
> {
  const refusal = await db.transaction(async (sql) => {
    await lockDefinitions(sql, applicationId);
    const { rows } = await sql.query<{
      slug: string;
      kind: string;
      merged_into: string | null;
      discarded: boolean;
    }>(
      'select slug, kind, merged_into, discarded from definitions where application_id = $1 and slug = any($2) and deleted_at is null',
      [applicationId, [slug, into]],
    );
    const [source, target] = [slug, into].map((wanted) => rows.find((row) => row.slug === wanted));
    if (source === undefined) return null;
    if (target === undefined) return 'into_unknown';
    if (source === target) return 'itself';
    if (source.merged_into !== null || target.merged_into !== null) return 'merged';
    if (source.kind !== target.kind) return 'other_kind';
    if (target.discarded) return 'into_discarded';
    await sql.query(
      'update definitions set merged_into = $3 where application_id = $1 and (slug = $2 or merged_into = $2)',
      [applicationId, slug, into],
    );
    return null;
  });
  return refusal ?? readDefinition(db, applicationId, slug);
}
