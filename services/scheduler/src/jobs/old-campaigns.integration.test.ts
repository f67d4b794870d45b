import { afterAll, expect, jest, test } from '@jest/globals';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { createOwnDatabase, createSendingCampaign } from '@tidings/testing';
import { runOnce } from '../testing/run-once.ts';
import { oldCampaigns } from './old-campaigns.ts';

// A separate database: the job reads campaigns of all applications.
jest.setTimeout(120_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

const RETENTION = { deliveryRetentionDays: 90, campaignRetentionDays: 730 };

async function createEndedCampaign(ageDays: number) {
  const { rows } = await db.sql.query<{ id: string }>(
    `select uuidv7(-$1::float8 * interval '1 day') as id`,
    [ageDays],
  );
  const { applicationId, campaignId } = await createSendingCampaign(db, {
    campaignId: String(rows[0]?.id),
    createdAt: Date.now() - ageDays * 86_400_000,
    count: 3,
  });
  await db.sql.query(
    `update campaigns set status = 'canceled', expires_at = created_at where id = $1`,
    [campaignId],
  );
  return { campaignId, read: () => readCampaign(db, applicationId, campaignId) };
}

test('one pass deletes recipients that are past their retention, and reports that are past theirs', async () => {
  const [report, recipients, neither] = [
    await createEndedCampaign(731),
    await createEndedCampaign(91),
    await createEndedCampaign(89),
  ];

  await runOnce(oldCampaigns(RETENTION), { db });

  expect([
    await report.read(),
    (await recipients.read())?.recipientsDeletedAt,
    (await neither.read())?.recipientsDeletedAt,
  ]).toEqual([null, expect.any(Number), null]);
  const { rows } = await db.sql.query<{ campaign_id: string }>(
    'select distinct campaign_id from deliveries',
  );
  expect(rows).toEqual([{ campaign_id: neither.campaignId }]);
});

test('a stopping service begins no further step', async () => {
  const campaign = await createEndedCampaign(91);

  await expect(
    runOnce(oldCampaigns(RETENTION), { db, signal: AbortSignal.abort() }),
  ).rejects.toThrow('aborted');

  expect(
    (await db.sql.query('select from deliveries where campaign_id = $1', [campaign.campaignId]))
      .rowCount,
  ).toBe(3);
});

test('reports may not be deleted before their deliveries', () => {
  expect(() => oldCampaigns({ deliveryRetentionDays: 90, campaignRetentionDays: 60 })).toThrow(
    'CAMPAIGN_RETENTION_DAYS',
  );
  expect(() =>
    oldCampaigns({ deliveryRetentionDays: 90, campaignRetentionDays: 90 }),
  ).not.toThrow();
});
