import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import { systemIds } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { connectTestDatabase, createOwnDatabase, createSendingCampaign } from '@tidings/testing';
import { changeDeliveryStates } from './change-states.ts';
import { claimChunk, claimOwner, readDueRows, type ClaimedDelivery } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { NOTES } from './outcome-rules.ts';

const db = connectTestDatabase();
/** Of one connection, which has the temporary table and sees what it has counted. */
const own = await createOwnDatabase({ poolMax: 1, isKeyed: true });
beforeAll(() => hideDeliveries(own.sql));
afterAll(() => Promise.all([db.close(), own.close()]));

/** What a claim, an marking and a recorded outcome change. */
const CHANGED_BY_SENDING = [
  'state',
  'reason',
  'fence',
  'owner',
  'lease_until',
  'attempts',
  'doubts',
  'next_at',
  'updated_at',
  'provider_id',
  'provider_code',
  'provider_message',
  'sent_at',
  'delivered_at',
  'addressed_at',
  'counted_on',
  ...NOTES.map((note) => `${note}_at`),
];

test.each([
  ['deliveries', 4],
  ['delivery_addresses', 2],
])(
  'no index of %s names a column that a send changes, nor does its condition: no update on the way writes to an index',
  async (table, indexes) => {
    const { rows } = await db.sql.query<{ indexname: string; indexdef: string }>(
      'select indexname, indexdef from pg_indexes where tablename = $1',
      [table],
    );

    const isNamed = (definition: string, column: string): boolean =>
      new RegExp(`\\b${column}\\b`).test(definition);
    expect(
      rows.flatMap(({ indexname, indexdef }) =>
        CHANGED_BY_SENDING.filter((column) => isNamed(indexdef, column)).map(
          (column) => `${indexname} names ${column}`,
        ),
      ),
    ).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(indexes);
  },
);

/**
 * A temporary table takes the place of `deliveries`, with its columns, indexes and settings. When
 * Postgres reuses the room of old versions then depends on this connection alone. In a table that
 * others see it depends on each transaction of the server, each ANALYZE of the database, and whether
 * a checkpoint is just writing the page: 0.08 rows moved to another page when nothing ran, 0.78
 * beside a writer.
 */
async function hideDeliveries(sql: Sql): Promise<void> {
  await sql.query(`do $$ begin
    execute (
      select format(
        'create temporary table deliveries (like public.deliveries including all) with (%s)',
        array_to_string(reloptions, ', '))
      from pg_class where oid = 'public.deliveries'::regclass);
  end $$`);
}

async function readUpdates(sql: Sql): Promise<{ readonly all: number; readonly hot: number }> {
  await sql.query('select pg_stat_force_next_flush()');
  const { rows } = await sql.query<{ all: number; hot: number }>(
    `select n_tup_upd::int as "all", n_tup_hot_upd::int as hot
     from pg_stat_user_tables where relid = 'pg_temp.deliveries'::regclass`,
  );
  return rows[0] ?? { all: 0, hot: 0 };
}

const take = {
  claim: (chunk: ChunkRef, owner: string) =>
    claimChunk(own, { ...chunk, owner, leaseMs: 60_000, rowsMax: 200 }),
  read: (chunk: ChunkRef) => readDueRows(own, { ...chunk, leaseMs: 60_000, rowsMax: 200 }),
};

test.each([
  ['claim', 3],
  ['read', 2],
] as const)(
  'the pages of deliveries have room for what a %s, a marking and an outcome write: %i updates each',
  async (how, updates) => {
    const count = 2_000;
    const { campaignId } = await createSendingCampaign(own, { count });
    const owner = claimOwner(systemIds.uuid());
    const before = await readUpdates(own.sql);
    const claimed: ClaimedDelivery[] = [];
    for (let chunkNo = 0; chunkNo * 200 < count; chunkNo += 1)
      claimed.push(...(await take[how]({ campaignId, chunkNo }, owner)));
    for (let from = 0; from < count; from += 50) {
      const group = claimed.slice(from, from + 50);
      await markSending(own, group, 60_000);
      await changeDeliveryStates(
        own.sql,
        ['sending'],
        group.map(({ deliveryId, fence }) => ({
          deliveryId,
          fence,
          state: 'sent',
          outcome: 'sent',
          providerCode: '250',
          providerMessage: '250 2.0.0 Ok: queued as 4F2A91C0DE',
        })),
      );
    }

    const after = await readUpdates(own.sql);

    expect(after.all - before.all).toBe(updates * count);
    // Rows that moved to another page, once.
    expect((updates * count - (after.hot - before.hot)) / count).toBeLessThan(0.09);
  },
);
