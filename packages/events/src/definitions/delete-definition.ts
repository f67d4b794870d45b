import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { lockDefinitions } from './lock-definitions.ts';

const statement = statementsIn(import.meta.dirname);

type Which = { readonly applicationId: string; readonly slug: string };

/** `timed_out`: the search for events took too long. */
export type DefinitionDeleted = 'deleted' | 'in_use' | 'merged' | 'timed_out';

/** Timeout of each statement, including its wait for locks. */
const WITHIN_MS = 5_000;

/**
 * Deletes a definition without stored events. The row stays, so that its slug is never reused for
 * another name. Creating the name again, or an event with it, restores the definition under that
 * slug. An event that resolved the definition just before keeps its name.
 *
 * `in_use`: a stored event refers to it. `merged`: it is merged into another, or another into it.
 * `timed_out`: the search took too long. Null when there is no such definition.
 *
 * The search may read all events of the application, so it runs before the lock that new event
 * names wait for. Under the lock only the hourly counts are compared; they are written together
 * with the events.
 * @callers api
 */
export async function deleteDefinition(
  db: Database,
  which: Which,
  { withinMs = WITHIN_MS }: { readonly withinMs?: number } = {},
): Promise<DefinitionDeleted | null> {
  const within = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    db.transaction(work, { statementTimeoutMs: withinMs });
  try {
    const before = await within(async (sql): Promise<Before> => {
      const obstacle = await findObstacle(sql, which);
      if (obstacle !== undefined) return { obstacle };
      const sums = await readSums(sql, which);
      return (await hasEvents(sql, which)) ? { obstacle: 'in_use' } : { sums };
    });
    if ('obstacle' in before) return before.obstacle;
    return await within(async (sql): Promise<DefinitionDeleted | null> => {
      await lockDefinitions(sql, which.applicationId);
      const obstacle = await findObstacle(sql, which);
      if (obstacle !== undefined) return obstacle;
      if (hasGrown(before.sums, await readSums(sql, which))) return 'in_use';
      await sql.query(statement('delete-definition'), [which.applicationId, which.slug]);
      return 'deleted';
    });
  } catch (error) {
    if (isCanceled(error)) return 'timed_out';
    throw error;
  }
}

type Before = { readonly obstacle: DefinitionDeleted | null } | { readonly sums: Sums };

/**
 * Why the definition cannot be deleted, apart from its events: `merged`, or null when there is
 * none.
 */
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

/** Events of the definition by hour of arrival. Events deleted later still count. */
type Sums = ReadonlyMap<string, bigint>;

async function readSums(sql: Sql, { applicationId, slug }: Which): Promise<Sums> {
  const { rows } = await sql.query<{ hour: string; events: string }>(
    statement('read-hourly-counts'),
    [applicationId, slug],
  );
  return new Map(rows.map(({ hour, events }) => [hour, BigInt(events)]));
}

/**
 * Whether events were stored in between. Hours may be missing afterwards, because retention deletes
 * old ones.
 */
function hasGrown(before: Sums, after: Sums): boolean {
  return [...after].some(([hour, events]) => events > (before.get(hour) ?? 0n));
}

/** Searches only the hours that counted events of the definition: `events` has no index by slug. */
async function hasEvents(sql: Sql, { applicationId, slug }: Which): Promise<boolean> {
  const { rows } = await sql.query<{ has_events: boolean }>(statement('has-events'), [
    applicationId,
    slug,
  ]);
  return rows[0]?.has_events ?? false;
}
