import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * The remaining work of an application. Instants are text, because of infinity and microseconds.
 */
type Recount = {
  readonly applicationId: string;
  readonly before: string;
  readonly hasEvents: boolean;
  readonly slug: string;
};

/**
 * Counts about `limit` events by event time that were stored before the counting trigger existed,
 * newest arrival first. False when all are counted, or another process is counting.
 *
 * Events no longer stored are counted by their hour of arrival, one definition per step, like
 * charts showed them: only hours before the oldest stored event.
 * @callers scheduler
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

/** The newest events that arrived before `before`. Events of the same instant stay together. */
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

/**
 * Counts the next definition by hour of arrival, for the hours before the oldest event stored when
 * all were counted.
 */
async function countArrivals(sql: Sql, { applicationId, slug }: Recount): Promise<void> {
  const { rows } = await sql.query<{ slug: string }>(statement('next-arrival-slug'), [
    applicationId,
    slug,
  ]);
  const next = rows[0]?.slug ?? null;
  await sql.query(statement('count-arrivals'), [applicationId, next]);
  await sql.query(statement('finish-arrival-slug'), [applicationId, next]);
}
