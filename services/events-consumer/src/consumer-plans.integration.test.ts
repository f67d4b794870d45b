import { afterAll, expect, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import { systemIds } from '@tidings/platform';
import { actionMessage, createOwnDatabase, userMessage } from '@tidings/testing';
import { eventTenant } from './testing/event-tenant.ts';

/** The one connection of a consumer, which keeps its plans. */
const own = await createOwnDatabase({ poolMax: 1 });
afterAll(() => own.close());

const ROWS = 20_000;
const READS_MAX = 200;

/** As a consumer applies records. */
const db: Database = {
  ...own,
  transaction: (work) => own.transaction(work, { isKeyed: true }),
};

const GROWING = `relname in ('users', 'user_identities', 'definitions', 'deleted_identities')
  or relname ~ '^(duplicate_keys|message_keys|events|receipts|ingest_requests)'`;

async function readsOf(work: () => Promise<unknown>): Promise<number> {
  await db.sql.query('select pg_stat_force_next_flush()');
  await db.sql.query('select pg_stat_reset()');
  await work();
  await db.sql.query('select pg_stat_force_next_flush()');
  const { rows } = await db.sql.query<{ n: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_user_tables where ${GROWING}`,
  );
  return rows[0]?.n ?? Number.NaN;
}

async function fillTables(): Promise<void> {
  const { applicationId } = await eventTenant(db);
  for (const statement of [
    `insert into users (id, application_id, custom_user_id, registered_at)
     select uuidv7(), $1, 'user ' || n, now() from generate_series(1, $2::int) n`,
    `insert into user_identities (application_id, service_user_id, user_id)
     select application_id, uuidv7(), id from users where application_id = $1 and $2 > 0`,
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, 'z' || n, 'action', 'filler ' || n, 'auto' from generate_series(1, $2::int) n`,
    `insert into deleted_identities (application_id, id_hash, deleted_at)
     select $1, decode(md5(n::text), 'hex'), now() from generate_series(1, $2::int) n`,
    `insert into duplicate_keys (id_key, user_time_key, request_id, message_index, received_at)
     select uuidv7(), uuidv7(), $1, n, now() from generate_series(1, $2::int) n`,
  ])
    await db.sql.query(statement, [applicationId, ROWS]);
}

test('consumers find rows by keys in large tables, though their statements were planned on empty ones', async () => {
  const { rows } = await db.sql.query<{ relname: string }>(
    `select relname from pg_class where relkind = 'r' and (${GROWING})`,
  );
  for (const { relname } of rows)
    await db.sql.query(`alter table ${relname} set (autovacuum_enabled = off)`);
  const tenant = await eventTenant(db);
  const apply = async (customUserId: string): Promise<void> => {
    const record = tenant.record({
      customUserId,
      serviceUserId: systemIds.uuid(),
      messages: [userMessage({ email: `${customUserId}@example.com` }), actionMessage()],
    });
    await tenant.applyUsers(record);
    await tenant.applyEvents(record);
    expect(await tenant.outcomes(record)).toEqual(['processed', 'processed']);
  };
  // Left to itself, Postgres keeps the plan of the sixth run.
  for (let run = 1; run <= 6; run += 1) await apply(`early ${run}`);
  await fillTables();

  for (const customUserId of ['early 1', 'late'])
    expect(await readsOf(() => apply(customUserId))).toBeLessThanOrEqual(READS_MAX);
}, 60_000);
