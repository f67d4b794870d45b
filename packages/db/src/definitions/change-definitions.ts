import { LIMITS } from '@tidings/contracts';
import type { Database, Sql } from '../database.ts';
import { countDefinitions } from './budgets.ts';
import { readDefinition, type Definition } from './definitions.ts';

/**
 * `merged`: the definition is another name of a different one, which is the one to change. `name_of_deleted`: a deleted
 * definition has the name. `too_many`: the budget has no room for a discarded one that would come back.
 */
export type DefinitionChangeRefused = 'name_taken' | 'name_of_deleted' | 'merged' | 'too_many';

/** Changes the named fields of a definition. Null when the application has none of this slug. @callers dashboard */
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
    if (found.discarded && change.discarded === false && !(await hasPlace(sql, applicationId, found))) return 'too_many';
    await sql.query('update definitions set name = coalesce($3, name), discarded = coalesce($4, discarded) where application_id = $1 and slug = $2', [
      applicationId,
      slug,
      change.name ?? null,
      change.discarded ?? null,
    ]);
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
async function hasPlace(sql: Sql, applicationId: string, { by_client_key: isByClient }: Pick<ToChange, 'by_client_key'>): Promise<boolean> {
  const { server, client } = await countDefinitions(sql, { applicationId });
  return isByClient ? client < LIMITS.clientDefinitionsMax : server < LIMITS.definitionsMax;
}

/**
 * Makes a definition another name of `into`: its events, those that were and those to come, are that one's. What was
 * merged into it before follows, so that a pointer always leads to a definition that is none itself.
 * `into_unknown`, `other_kind`, `merged` (either of the two is another name already), `into_discarded` or `itself` when
 * it cannot be; null when there is no such definition. @callers dashboard
 */
export async function mergeDefinition(
  db: Database,
  { applicationId, slug, into }: { readonly applicationId: string; readonly slug: string; readonly into: string },
): Promise<Definition | 'into_unknown' | 'other_kind' | 'merged' | 'into_discarded' | 'itself' | null> {
  const refusal = await db.transaction(async (sql) => {
    await lockDefinitions(sql, applicationId);
    const { rows } = await sql.query<{ slug: string; kind: string; merged_into: string | null; discarded: boolean }>(
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
    await sql.query('update definitions set merged_into = $3 where application_id = $1 and (slug = $2 or merged_into = $2)', [applicationId, slug, into]);
    return null;
  });
  return refusal ?? readDefinition(db, applicationId, slug);
}

/**
 * Deletes a definition that no stored event refers to. Its row stays, so that its slug is never given to another name;
 * an event or a creation of the same name brings it back under that slug. `in_use` (a stored event refers to it), or
 * `merged` (it is merged into another, or another into it) when it cannot be; null when there is no such definition.
 * An event that found the definition just before keeps its name, since the row stays. @callers dashboard
 */
export function deleteDefinition(
  db: Database,
  { applicationId, slug }: { readonly applicationId: string; readonly slug: string },
): Promise<'deleted' | 'in_use' | 'merged' | null> {
  return db.transaction(async (sql) => {
    await lockDefinitions(sql, applicationId);
    const { rows } = await sql.query<{ is_merged: boolean }>(
      `select d.merged_into is not null or exists (select from definitions o where o.application_id = $1 and o.merged_into = $2) as is_merged
       from definitions d where d.application_id = $1 and d.slug = $2 and d.deleted_at is null`,
      [applicationId, slug],
    );
    const [found] = rows;
    if (found === undefined) return null;
    if (found.is_merged) return 'merged';
    if (await hasEvents(sql, applicationId, slug)) return 'in_use';
    await sql.query('update definitions set deleted_at = now() where application_id = $1 and slug = $2', [applicationId, slug]);
    return 'deleted';
  });
}

/** Events are looked for only in the hours that count events of the definition: `events` has no index by slug. */
async function hasEvents(sql: Sql, applicationId: string, slug: string): Promise<boolean> {
  const { rows } = await sql.query<{ has_events: boolean }>(
    `select exists (
       select from (
         select hour, max(last_received_at) as last_at from definition_hours where application_id = $1 and slug = $2 group by hour) h
       cross join lateral (
         select from events e
         where e.application_id = $1 and e.received_at >= h.hour and e.received_at <= h.last_at and e.slug = $2 limit 1) found) as has_events`,
    [applicationId, slug],
  );
  return rows[0]?.has_events ?? false;
}

/** As making definitions does: names, slugs and pointers are decided by one at a time. */
async function lockDefinitions(sql: Sql, applicationId: string): Promise<void> {
  await sql.query('select 1 from applications where id = $1 for no key update', [applicationId]);
}
