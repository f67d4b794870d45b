import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** What is left of an application. Instants as text, which has infinity and microseconds. */
type Recount = {
  readonly applicationId: string;
  readonly before: string;
  readonly hasEvents: boolean;
  readonly slug: string;
};

/**
 * Counts some of the events by time that were stored before a trigger did so, from the newest arrival on, about `limit` at once;
 * false when all are counted or another process is at it. Events that are not stored any more are counted by their hour of arrival,
 * a definition at once, as far as charts showed them so: hours before the oldest stored event. @callers scheduler
 */
export async function recountEvents(
  db: Database,
  { limit }: { readonly limit: number },
): Promise<boolean> {
  const result = await withAdvisoryLock(db, 'recount', async (sql) => {
    const { rows } = await sql.query<Recount>(statement('lock-next-recount'));
    const [next] = rows;
    if (next === undefined) return false;
    await (next.hasEvents ? countSlice(sql, next, limit) : countArrivals(sql, next));
    return true;
  });
  return result === true;
}

/** Of all that arrived before some instant the newest, those of one instant together. */
async function countSlice(
  sql: Sql,
  { applicationId, before }: Recount,
  limit: number,
): Promise<void> {
  const { rows } = await sql.query<{ from: string }>(statement('find-slice-start'), [
    applicationId,
    before,
    limit,
  ]);
  const from = rows[0]?.from ?? '-infinity';
  await sql.query(statement('count-slice'), [applicationId, from, before]);
  await sql.query(statement('finish-slice'), [applicationId, from]);
}

/** The sums by arrival of the next definition, of the hours before the oldest event that was stored when all were counted. */
async function countArrivals(sql: Sql, { applicationId, slug }: Recount): Promise<void> {
  const { rows } = await sql.query<{ slug: string }>(statement('next-arrival-slug'), [
    applicationId,
    slug,
  ]);
  const next = rows[0]?.slug ?? null;
  await sql.query(statement('count-arrivals'), [applicationId, next]);
  await sql.query(statement('finish-arrival-slug'), [applicationId, next]);
}
