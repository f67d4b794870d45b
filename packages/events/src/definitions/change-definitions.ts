import { LIMITS } from '@tidings/contracts/limits';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { countDefinitions } from './budgets.ts';
import { readDefinition, type Definition } from './definitions.ts';
import { lockDefinitions } from './lock-definitions.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * `merged`: the definition is merged into another; change that one. `name_of_deleted`: a deleted
 * definition has the name. `too_many`: restoring a discarded definition would exceed the budget.
 */
export type DefinitionChangeConflict = 'name_taken' | 'name_of_deleted' | 'merged' | 'too_many';

/**
 * Changes the named fields of a definition. Null when the application has none with this slug.
 * @callers api
 */
export async function changeDefinition(
  db: Database,
  { applicationId, slug }: { readonly applicationId: string; readonly slug: string },
  change: { readonly name?: string; readonly discarded?: boolean },
): Promise<Definition | DefinitionChangeConflict | null> {
  const conflict = await db.transaction(async (sql): Promise<DefinitionChangeConflict | null> => {
    await lockDefinitions(sql, applicationId);
    const { rows } = await sql.query<ToChange>(statement('lock-definition-to-change'), [
      applicationId,
      slug,
      change.name ?? null,
    ]);
    const [found] = rows;
    if (found === undefined) return null;
    if (found.merged_into !== null) return 'merged';
    if (found.is_name_taken) return found.is_of_deleted ? 'name_of_deleted' : 'name_taken';
    if (
      found.discarded &&
      change.discarded === false &&
      !(await fitsBudget(sql, applicationId, found))
    )
      return 'too_many';
    await sql.query(statement('change-definition'), [
      applicationId,
      slug,
      change.name ?? null,
      change.discarded ?? null,
    ]);
    return null;
  });
  return conflict ?? readDefinition(db, applicationId, slug);
}

type ToChange = {
  readonly merged_into: string | null;
  readonly discarded: boolean;
  readonly by_client_key: boolean;
  readonly is_name_taken: boolean;
  readonly is_of_deleted: boolean;
};

/** Whether its budget allows one more live definition. */
async function fitsBudget(
  sql: Sql,
  applicationId: string,
  { by_client_key: isByClient }: Pick<ToChange, 'by_client_key'>,
): Promise<boolean> {
  const { server, client } = await countDefinitions(sql, { applicationId });
  return isByClient ? client < LIMITS.clientDefinitionsMax : server < LIMITS.definitionsMax;
}

/**
 * Merges a definition into `into`: past and future events count for `into`. Definitions merged into
 * it before follow, so that a pointer never leads to another pointer.
 *
 * Returns a reason when it cannot: `into_unknown`, `other_kind`, `merged` (one of the two is merged
 * already), `into_discarded` or `itself`. Null when there is no such definition.
 * @callers api
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
  const conflict = await db.transaction(async (sql) => {
    await lockDefinitions(sql, applicationId);
    const { rows } = await sql.query<{
      slug: string;
      kind: string;
      merged_into: string | null;
      discarded: boolean;
    }>(statement('lock-definitions-to-merge'), [applicationId, [slug, into]]);
    const [source, target] = [slug, into].map((wanted) => rows.find((row) => row.slug === wanted));
    if (source === undefined) return null;
    if (target === undefined) return 'into_unknown';
    if (source === target) return 'itself';
    if (source.merged_into !== null || target.merged_into !== null) return 'merged';
    if (source.kind !== target.kind) return 'other_kind';
    if (target.discarded) return 'into_discarded';
    await sql.query(statement('merge-definition'), [applicationId, slug, into]);
    return null;
  });
  return conflict ?? readDefinition(db, applicationId, slug);
}
