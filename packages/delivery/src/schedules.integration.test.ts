import { afterAll, expect, test } from '@jest/globals';
import { createOwnDatabase, createSendingCampaign } from '@tidings/testing';
import { beginRecipientPurge, purgeCampaigns } from './campaign-retention.ts';
import { controlCampaign } from './control.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { completeCampaigns } from './sweeps.ts';

// Purges and measures work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const HOUR_MS = 3_600_000;

/** A campaign that was accepted 100 days ago and began an hour ago; each message was sent 10 s later. */
async function begunAnHourAgo(sendAtLocal: string | null = null) {
  const { rows } = await db.sql.query<{ id: string }>(
    `select uuidv7(-100 * interval '1 day') as id`,
  );
  const campaign = await createSendingCampaign(db, {
    campaignId: String(rows[0]?.id),
    count: 2,
    createdAt: Date.now() - 100 * 24 * HOUR_MS,
    expiresAt: Date.now() - 1,
    schedule: { sendAt: Date.now() - HOUR_MS, sendAtLocal, isLater: false },
  });
  await db.sql.query(
    `update deliveries d set state = 'sent', sent_at = c.send_at + interval '10 s'
     from campaigns c where c.id = $1 and d.campaign_id = $1`,
    [campaign.campaignId],
  );
  await db.sql.query(
    `update campaign_counters set state = 'sent' where campaign_id = $1 and state = 'pending'`,
    [campaign.campaignId],
  );
  await db.sql.query(`update campaign_chunks set due_at = null where campaign_id = $1`, [
    campaign.campaignId,
  ]);
  return campaign;
}

test('the time to send counts from the beginning', async () => {
  const { applicationId, campaignId } = await begunAnHourAgo();

  const sending = await readCampaign(db, applicationId, campaignId);
  await completeCampaigns(db);
  const completed = await readCampaign(db, applicationId, campaignId);

  expect(sending?.timing).toMatchObject({ p50Ms: 10_000, p95Ms: 10_000 });
  expect(completed).toMatchObject({ status: 'completed', timing: { p50Ms: 10_000 } });
});

test('of a local time there is none', async () => {
  const { applicationId, campaignId } = await begunAnHourAgo('2026-01-01T09:00');

  await completeCampaigns(db);

  expect(await readCampaign(db, applicationId, campaignId)).toMatchObject({
    status: 'completed',
    timing: { p50Ms: null, p95Ms: null },
  });
});

test('retention counts from the beginning', async () => {
  const { campaignId } = await begunAnHourAgo();
  await completeCampaigns(db);

  expect(await beginRecipientPurge(db, { days: 90, limit: 100 })).toMatchObject({ begun: 0 });
  await db.sql.query('update campaigns set has_recipient_rows = false where id = $1', [campaignId]);
  expect(await purgeCampaigns(db, { days: 90, limit: 100 }, () => Promise.resolve())).toBe(0);

  await db.sql.query(
    "update campaigns set send_at = now() - interval '91 days', has_recipient_rows = true where id = $1",
    [campaignId],
  );
  expect(await beginRecipientPurge(db, { days: 90, limit: 100 })).toMatchObject({ begun: 1 });
});

test('retried failures get the time to live again that they had from the beginning', async () => {
  const campaign = await begunAnHourAgo();
  await db.sql.query(
    `update deliveries set state = 'failed', reason = 'provider_rejected', sent_at = null
     where campaign_id = $1`,
    [campaign.campaignId],
  );
  await db.sql.query(
    `update campaign_counters set state = 'failed', reason = 'provider_rejected'
     where campaign_id = $1 and state = 'sent'`,
    [campaign.campaignId],
  );
  await db.sql.query("update campaigns set status = 'completed' where id = $1", [
    campaign.campaignId,
  ]);

  expect(await controlCampaign(db, { ...campaign, action: 'retry-failed', actor: 'test' })).toEqual(
    { outcome: 'done' },
  );

  const { rows } = await db.sql.query<{ left_ms: number }>(
    'select (extract(epoch from expires_at - now()) * 1000)::float8 as left_ms from campaigns where id = $1',
    [campaign.campaignId],
  );
  // An hour, and not 100 days.
  expect(rows[0]?.left_ms).toBeLessThanOrEqual(HOUR_MS);
  expect(rows[0]?.left_ms).toBeGreaterThan(HOUR_MS - 60_000);
  await db.sql.query("update campaigns set status = 'canceled'");
});
