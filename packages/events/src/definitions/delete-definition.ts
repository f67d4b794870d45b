import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { lockDefinitions } from './lock-definitions.ts';

const statement = statementsIn(import.meta.dirname);

type Which = { readonly applicationId: string; readonly slug: string };

/** `timed_out`: whether events refer to it was not found out in time. */
export type DefinitionDeleted = 'deleted' | 'in_use' | 'merged' | 'timed_out';

/** Each statement may take this long, the wait for a lock included. */
const WITHIN_MS = 5_000;

/**
 * Deletes a definition that no stored event refers to. Its row stays, so that its slug is never given to another name;
 * an event or a creation of the same name brings it back under that slug. `in_use` (a stored event refers to it), or
 * `merged` (it is merged into another, or another into it) when it cannot be; null when there is no such definition.
 * An event that found the definition just before keeps its name, since the row stays.
 *
 * The search may read all events of the application. So it comes before the lock, which new event names wait for, and
 * under the lock only the sums are compared, which are written with the events. @callers api
 */
export async function deleteDefinition(
  db: Database,
  which: Which,
  { withinMs = WITHIN_MS }: { readonly withinMs?: number } = {},
): Promise<DefinitionDeleted | null> {
  const within = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    db.transaction(async (sql) => {
      await sql.query(statement('set-statement-timeout'), [`${withinMs}`]);
      return work(sql);
    });
  try {
    const before = await within(async (sql): Promise<Before> => {
      const refusal = await findObstacle(sql, which);
      if (refusal !== undefined) return { refusal };
      const sums = await readSums(sql, which);
      return (await hasEvents(sql, which)) ? { refusal: 'in_use' } : { sums };
    });
    if ('refusal' in before) return before.refusal;
    return await within(async (sql): Promise<DefinitionDeleted | null> => {
      await lockDefinitions(sql, which.applicationId);
      const refusal = await findObstacle(sql, which);
      if (refusal !== undefined) return refusal;
      if (hasGrown(before.sums, await readSums(sql, which))) return 'in_use';
      await sql.query(statement('delete-definition'), [which.applicationId, which.slug]);
      return 'deleted';
    });
  } catch (error) {
    if (isCanceled(error)) return 'timed_out';
    throw error;
  }
}

type Before = { readonly refusal: DefinitionDeleted | null } | { readonly sums: Sums };

/** Why it cannot be deleted, whatever events there are. */
async function findObstacle(
  sql: Sql,
  { applicationId, slug }: Which,
): Promise<'merged' | null | undefined> {
  const { rows } = await sql.query<{ is_merged: boolean }>(statement('lock-definition-to-delete'), [
    applicationId,
    slug,
  ]);
  const [found] = rows;
  if (found === undefined) return null;
  return found.is_merged ? 'merged' : undefined;
}

/** How many events of the definition each hour counts, by the hour of arrival. What is deleted later stays counted. */
type Sums = ReadonlyMap<string, bigint>;

async function readSums(sql: Sql, { applicationId, slug }: Which): Promise<Sums> {
  const { rows } = await sql.query<{ hour: string; events: string }>(
    statement('read-hourly-counts'),
    [applicationId, slug],
  );
  return new Map(rows.map(({ hour, events }) => [hour, BigInt(events)]));
}

/** Whether events were stored between the two. Hours may have become fewer meanwhile: old ones are deleted. */
function hasGrown(before: Sums, after: Sums): boolean {
  return [...after].some(([hour, events]) => events > (before.get(hour) ?? 0n));
}

/** Events are looked for only in the hours that count events of the definition: `events` has no index by slug. */
async function hasEvents(sql: Sql, { applicationId, slug }: Which): Promise<boolean> {
  const { rows } = await sql.query<{ has_events: boolean }>(statement('has-events'), [
    applicationId,
    slug,
  ]);
  return rows[0]?.has_events ?? false;
}
