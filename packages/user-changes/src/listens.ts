import type { Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);
const READ_LISTENS = definePreparedByKeys(statement('read-listens'));

/** Of changes without a definition. No slug has an `@`. */
export const REGISTERED = '@registered';
export const PROFILE = '@profile';

/** What an application listens to: slugs of definitions, and the names above. */
export type Listens = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What these applications listen to, by application; one that listens to nothing is absent. A
 * definition that was merged stands there with the one that it was merged into, whose slug its
 * events have from then on.
 */
export async function readListens(sql: Sql, applicationIds: Iterable<string>): Promise<Listens> {
  const { rows } = await sql.query<{
    application_id: string;
    slug: string;
    merged_into: string | null;
  }>(READ_LISTENS, [[...new Set(applicationIds)]]);
  const listens = new Map<string, Set<string>>();
  for (const { application_id: applicationId, slug, merged_into: mergedInto } of rows) {
    const names = listens.get(applicationId) ?? new Set();
    listens.set(applicationId, names.add(slug));
    if (mergedInto !== null) names.add(mergedInto);
  }
  return listens;
}

/**
 * Replaces what an application listens to. Changes count from the first transaction that sees it.
 * The caller passes what all its automations wait for, and lets no other call for this application
 * run at the same time. Definitions are named as the automations name them, merged or not.
 * @callers automations
 */
export async function setListens(
  sql: Sql,
  applicationId: string,
  names: readonly string[],
): Promise<void> {
  await sql.query(statement('set-listens'), [applicationId, [...new Set(names)]]);
}
