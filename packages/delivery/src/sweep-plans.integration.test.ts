import { afterEach, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { createFakeClock } from '@tidings/platform/testing';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { createOwnDatabase, createSendingCampaign, testDatabaseUrl } from '@tidings/testing';
import { bulkCampaignsToExpand, dueBulkChunks } from './bulk.ts';
import { dueChunks, markDispatched, postponeChunks, takeChunks, wakeChunks } from './chunks.ts';
import { correctFutureTimes } from './future-times.ts';
import { releaseScheduled } from './schedules.ts';
import { nextInSlowLane } from './slow-lane.ts';
import { campaignsToSnapshot, failExpiredSnapshots } from './snapshot-tries.ts';
import {
  campaignsToExpand,
  completeCampaigns,
  expireCampaigns,
  expireInbox,
  expireSendingLeases,
} from './sweeps.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const RECIPIENTS = 20_000;
const DUE_CHUNKS = 3;
/** What a statement may read for the rows of the chunks that are due, some of it several times. */
const TRIES = { triesMax: 3, retryMs: 60_000 };
const READS_MAX = 4_000;

/** A new database, and the one connection of a process that sweeps, which plans by keys. */
async function sweepingDatabase() {
  const own = await createOwnDatabase({ poolMax: 1 });
  const { rows } = await own.sql.query<{ name: string }>('select current_database() as name');
  const url = new URL(testDatabaseUrl());
  url.pathname = rows[0]?.name ?? '';
  const clock = createFakeClock();
  const db = connectDatabase({
    databaseUrl: url.href,
    poolMax: 1,
    applicationName: 'test',
    isKeyed: true,
    clock,
  });
  open.push(
    () => db.close(),
    () => own.close(),
  );
  for (const table of ['campaigns', 'campaign_chunks', 'deliveries', 'delivery_addresses', 'users'])
    await db.sql.query(`alter table ${table} set (autovacuum_enabled = off)`);
  return { db, clock };
}

/** Everything that runs often while a campaign runs; it finds the first chunks of the campaign due. */
const workOf = (db: Database, campaignId: string): [string, () => Promise<unknown>][] => {
  const chunks = Array.from({ length: DUE_CHUNKS }, (_, chunkNo) => ({ campaignId, chunkNo }));
  const dispatched = chunks.map((chunk) => ({ ...chunk, partition: 0, offset: 1n }));
  return [
    ['correctFutureTimes', () => correctFutureTimes(db)],
    ['resolveUnknownRecipients', () => resolveUnknownRecipients(db)],
    ['expireSendingLeases', () => expireSendingLeases(db)],
    ['expireCampaigns', () => expireCampaigns(db)],
    ['expireInbox', () => expireInbox(db)],
    ['campaignsToExpand', () => campaignsToExpand(db, 0)],
    ['bulkCampaignsToExpand', () => bulkCampaignsToExpand(db, [])],
    ['releaseScheduled', () => releaseScheduled(db)],
    ['dueChunks', () => dueChunks(db)],
    ['dueBulkChunks', () => dueBulkChunks(db, 10)],
    ['takeChunks', () => takeChunks(db, chunks, 0)],
    ['markDispatched', () => markDispatched(db, dispatched)],
    ['postponeChunks', () => postponeChunks(db, chunks, 0)],
    ['wakeChunks', () => wakeChunks(db.sql, chunks)],
    // The last one: percentiles of a campaign that completes are those of all its deliveries.
    ['completeCampaigns', () => completeCampaigns(db)],
  ];
};

async function makeLarge(db: Database): Promise<string> {
  const { campaignId } = await createSendingCampaign(db, { count: RECIPIENTS });
  await db.sql.query(`update deliveries set state = 'sent'`);
  await db.sql.query(
    `update campaign_chunks set leased_until = now() - interval '1 s', unresolved_at = now() - interval '1 hour'`,
  );
  return campaignId;
}

async function leaveFewDue(db: Database, campaignId: string): Promise<void> {
  await db.sql.query(
    'update campaign_chunks set leased_until = null, unresolved_at = null, due_at = null where chunk_no >= $1',
    [DUE_CHUNKS],
  );
  await db.sql.query('update campaigns set expires_at = now() where id = $1', [campaignId]);
}

/** Deliveries and users that a piece of work read. */
async function readsOf(db: Database, work: () => Promise<unknown>): Promise<number> {
  // The only connection; it flushes its statistics now.
  await db.sql.query('select pg_stat_force_next_flush()');
  await db.sql.query('select pg_stat_reset()');
  await work();
  await db.sql.query('select pg_stat_force_next_flush()');
  const { rows } = await db.sql.query<{ n: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_user_tables
     where relname in ('deliveries', 'users')`,
  );
  return rows[0]?.n ?? Number.NaN;
}

test.each([
  ['on empty tables that were never counted', { isCounted: false }],
  ['on tables that were counted while they were empty', { isCounted: true }],
])(
  'work that is done often reads few deliveries, though it was planned %s',
  async (_when, { isCounted }) => {
    const { db, clock } = await sweepingDatabase();
    if (isCounted) await db.sql.query('vacuum analyze');
    // Left to itself, Postgres keeps the plan of the sixth run.
    for (let run = 1; run <= 6; run += 1)
      for (const [, work] of workOf(db, systemIds.uuid())) await work();
    const campaignId = await makeLarge(db);
    await leaveFewDue(db, campaignId);
    // A plan for tables that were counted as empty is kept for 10 s.
    if (isCounted) clock.advance(10_000);

    for (const [name, work] of workOf(db, campaignId).slice(0, -1))
      expect([name, (await readsOf(db, work)) <= READS_MAX]).toEqual([name, true]);
  },
  60_000,
);

test('work that is done often reads few deliveries, also when Postgres counted many chunks to look at', async () => {
  const { db } = await sweepingDatabase();
  const campaignId = await makeLarge(db);
  await db.sql.query('analyze');
  await leaveFewDue(db, campaignId);

  for (const [name, work] of workOf(db, campaignId).slice(0, -1))
    expect([name, (await readsOf(db, work)) <= READS_MAX]).toEqual([name, true]);
}, 60_000);

test('campaigns that wait for their time cost no sweep anything', async () => {
  const { db } = await sweepingDatabase();
  await db.sql.query(
    `insert into campaigns (id, application_id, channel, lane, purpose, source, status, message, recipients_requested,
       recipients_unique, created_by, request_id, created_at, expires_at, send_at)
     select uuidv7(), uuidv7(), 'SMS', 'scheduled', 'marketing', 'api', 'queued', '{}', 1,
       1, 'test', uuidv7(), now(), now() + interval '40 days', now() + interval '30 days'
     from generate_series(1, $1)`,
    [RECIPIENTS],
  );
  await db.sql.query('vacuum analyze campaigns');
  const sweeps = [
    () => campaignsToExpand(db, 0),
    () => bulkCampaignsToExpand(db, []),
    () => campaignsToSnapshot(db, TRIES, { campaigns: [], applications: [] }),
    () => nextInSlowLane(db, TRIES),
    () => failExpiredSnapshots(db),
    () => expireCampaigns(db),
    () => completeCampaigns(db),
  ];

  const read: number[] = [];
  for (const sweep of sweeps) {
    await db.sql.query('select pg_stat_force_next_flush()');
    await db.sql.query('select pg_stat_reset()');
    await sweep();
    await db.sql.query('select pg_stat_force_next_flush()');
    const { rows } = await db.sql.query<{ n: number }>(
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_user_tables where relname = 'campaigns'`,
    );
    read.push(rows[0]?.n ?? Number.NaN);
  }

  expect(read).toEqual(sweeps.map(() => 0));
}, 60_000);
