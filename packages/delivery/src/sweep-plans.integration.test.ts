import { afterAll, expect, test } from '@jest/globals';
import { createOwnDatabase, createSendingCampaign } from '@tidings/testing';
import { bulkCampaignsToExpand } from './bulk.ts';
import { campaignsToSnapshot, failExpiredSnapshots } from './snapshots.ts';
import {
  campaignsToExpand,
  completeCampaigns,
  expireCampaigns,
  expireSendingLeases,
} from './sweeps.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';

const db = await createOwnDatabase({ poolMax: 1 });
afterAll(() => db.close());

const RECIPIENTS = 20_000;

/** How often all deliveries were read, since the database was made. */
async function readsOfAll(): Promise<number> {
  // The only connection; it flushes its statistics now.
  await db.sql.query('select pg_stat_force_next_flush()');
  const { rows } = await db.sql.query<{ seq_scan: number }>(
    `select seq_scan::int from pg_stat_user_tables where relname = 'deliveries'`,
  );
  return rows[0]?.seq_scan ?? NaN;
}

test('a sweep that looks for few rows does not read all deliveries, also when Postgres counted many chunks to look at', async () => {
  for (const table of ['deliveries', 'campaign_chunks'])
    await db.sql.query(`alter table ${table} set (autovacuum_enabled = off)`);
  const campaign = await createSendingCampaign(db, { count: RECIPIENTS });
  await db.sql.query(`update deliveries set state = 'sent'`);
  await db.sql.query(
    `update campaign_chunks set leased_until = now() - interval '1 s', unresolved_at = now() - interval '1 hour'`,
  );
  await db.sql.query('analyze');
  await db.sql.query(
    'update campaign_chunks set leased_until = null, unresolved_at = null, due_at = null where chunk_no >= 3',
  );
  await db.sql.query('update campaigns set expires_at = now() where id = $1', [
    campaign.campaignId,
  ]);
  await readsOfAll();
  await db.sql.query('select pg_stat_reset()');

  for (const sweep of [expireSendingLeases, resolveUnknownRecipients, expireCampaigns]) {
    expect(await sweep(db)).toBe(0);
    expect([sweep.name, await readsOfAll()]).toEqual([sweep.name, 0]);
  }
}, 60_000);

test('campaigns that wait for their time cost no sweep anything', async () => {
  await db.sql.query('truncate campaigns cascade');
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
    () => campaignsToSnapshot(db, []),
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
