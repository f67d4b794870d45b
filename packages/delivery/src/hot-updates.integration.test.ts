import { afterAll, expect, test } from '@jest/globals';
import type { ChunkRef } from '@tidings/contracts';
import { systemIds } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import {
  connectTestDatabase,
  createOwnDatabase,
  createSendingCampaign,
  eventually,
} from '@tidings/testing';
import { changeDeliveryStates } from './change-states.ts';
import {
  claimChunk,
  claimOwner,
  markSending,
  readDueRows,
  type ClaimedDelivery,
} from './claims.ts';
import { NOTES } from './outcome-rules.ts';

const db = connectTestDatabase();
/** Of one connection, so that it sees what it has counted. */
const own = await createOwnDatabase({ poolMax: 1, isKeyed: true });
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

async function readUpdates(sql: Sql): Promise<{ readonly all: number; readonly hot: number }> {
  await sql.query('select pg_stat_force_next_flush()');
  const { rows } = await sql.query<{ all: number; hot: number }>(
    `select n_tup_upd::int as "all", n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'deliveries'`,
  );
  return rows[0] ?? { all: 0, hot: 0 };
}

/**
 * Postgres reuses the room of old versions only after the transactions that ran meanwhile, in any
 * database of the server, also short ones: 0.08 rows move to another page when nothing runs, 0.78 beside a writer.
 * Resolves when those of now have ended.
 */
async function untilOthersEnd(): Promise<void> {
  const { rows } = await own.sql.query<{ next: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
  );
  await eventually(
    async () => {
      const { rows: now } = await own.sql.query<{ haveEnded: boolean }>(
        'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as "haveEnded"',
        [rows[0]?.next],
      );
      expect(now).toEqual([{ haveEnded: true }]);
    },
    { timeoutMs: 30_000, intervalMs: 5 },
  );
}

/** An ANALYZE that runs meanwhile keeps old versions in the pages. */
const stopAutovacuum = () =>
  own.sql.query(`do $$ declare one regclass; begin
    for one in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = false)', one);
    end loop;
  end $$`);

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
    await stopAutovacuum();
    const count = 2_000;
    const { campaignId } = await createSendingCampaign(own, { count });
    const owner = claimOwner(systemIds.uuid());
    const before = await readUpdates(own.sql);
    const claimed: ClaimedDelivery[] = [];
    for (let chunkNo = 0; chunkNo * 200 < count; chunkNo += 1)
      claimed.push(...(await take[how]({ campaignId, chunkNo }, owner)));
    for (let from = 0; from < count; from += 50) {
      const group = claimed.slice(from, from + 50);
      await untilOthersEnd();
      await markSending(own, group, 60_000);
      await untilOthersEnd();
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
