import { afterAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase, createTestApplication, newCampaign, someIds } from '@tidings/testing';
import { acceptCampaign } from './accept.ts';
import { listCampaignEvents } from './list-campaign-events.ts';
import { readCampaign } from './reports.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

async function chunksOf(campaignId: string): Promise<string[][]> {
  const { rows } = await db.sql.query<{ recipients: string[] }>(
    'select recipients from campaign_chunks where campaign_id = $1 order by chunk_no',
    [campaignId],
  );
  return rows.map((row) => row.recipients);
}

describe('an accepted campaign', () => {
  test('is readable at once, with all its recipients pending', async () => {
    const { applicationId } = await createTestApplication(db);
    const campaign = newCampaign({ applicationId, recipients: ['ada', 'bob', 'ada'] });

    await acceptCampaign(db, campaign);

    const record = await readCampaign(db, applicationId, campaign.campaignId);
    expect(record).toMatchObject({
      campaignId: campaign.campaignId,
      channel: 'EMAIL',
      status: 'queued',
      source: 'api',
      message: campaign.message,
      recipients: { requested: 3, unique: 2 },
      counts: { total: 2, pending: 2, successful: 0, failed: 0 },
      timing: { createdAt: campaign.createdAt, startedAt: null, completedAt: null },
    });
    expect((await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).map(({ type }) => type)).toEqual(['campaign.queued']);
  });

  test('has each recipient once, in the order of first mention, whatever characters the ids are made of', async () => {
    const { applicationId } = await createTestApplication(db);
    const odd = ['é', 'e\u0301', '👩‍👩‍👧', 'مرحبا', '__proto__', 'constructor', '"', "'; drop table users; --", '\\', ' ', ' ada', 'Ada', 'x'.repeat(256)];
    const campaign = newCampaign({ applicationId, recipients: [...odd, ...odd.toReversed()] });

    await acceptCampaign(db, campaign);

    expect(await chunksOf(campaign.campaignId)).toEqual([odd]);
  });

  test.each([
    [1, [1], 'express'],
    [200, [200], 'express'],
    [201, [200, 1], 'express'],
    [1000, [200, 200, 200, 200, 200], 'express'],
    [1001, [200, 200, 200, 200, 200, 1], 'bulk'],
  ])('of %i recipients has chunks of %j in the lane %s', async (count, sizes, lane) => {
    const { applicationId } = await createTestApplication(db);
    const campaign = newCampaign({ applicationId, recipients: someIds(count) });

    await acceptCampaign(db, campaign);

    expect((await chunksOf(campaign.campaignId)).map((chunk) => chunk.length)).toEqual(sizes);
    const { rows } = await db.sql.query('select lane from campaigns where id = $1', [campaign.campaignId]);
    expect(rows).toEqual([{ lane }]);
  });

  test('may have 100,000 recipients', async () => {
    const { applicationId } = await createTestApplication(db);
    const recipients = someIds(100_000);
    const campaign = newCampaign({ applicationId, recipients: [...recipients, ...recipients.slice(0, 5)] });

    await acceptCampaign(db, campaign);

    expect((await chunksOf(campaign.campaignId)).flat()).toEqual(recipients);
  });

  test('is stored whole or not at all', async () => {
    const { applicationId } = await createTestApplication(db);
    const campaign = newCampaign({ applicationId, recipients: ['ada'] });
    await acceptCampaign(db, campaign);

    await expect(acceptCampaign(db, { ...campaign, recipients: ['bob', 'eve'] })).rejects.toMatchObject({ code: '23505' });

    expect(await chunksOf(campaign.campaignId)).toEqual([['ada']]);
    expect(await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).toHaveLength(1);
  });
});
