import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase, createSendingCampaign } from '@tidings/testing';
import { changeDeliveryStates } from './change-states.ts';
import { claimChunk } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { sendLatencySoFar } from './send-latency.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';

const db = connectTestDatabase();
afterAll(() => db.close());

const timesOf = async (id: string, recipientsUnique: number) =>
  (await sendLatencySoFar(db.sql, [{ id, recipientsUnique }])).get(id);
const setSentAt = (campaignId: string, milliseconds: string) =>
  db.sql.query(
    `update deliveries d set state = 'sent', sent_at = c.created_at + ${milliseconds} * interval '1 ms'
     from campaigns c, (select id, row_number() over (order by id) as n from deliveries where campaign_id = $1) numbered
     where d.campaign_id = $1 and c.id = $1 and numbered.id = d.id`,
    [campaignId],
  );

test('half of the recipients, and 95 in 100, were sent to within these times of the acceptance', async () => {
  const { campaignId } = await createSendingCampaign(db, { count: 100 });
  expect(await timesOf(campaignId, 100)).toBeUndefined();

  await setSentAt(campaignId, 'numbered.n * 10');

  expect(await timesOf(campaignId, 100)).toEqual({ p50Ms: 500, p95Ms: 950 });
});

test('of a campaign with more chunks than the sample, the sample is spread over all of it', async () => {
  const { campaignId } = await createSendingCampaign(db, { count: 50 });
  await setSentAt(campaignId, 'numbered.n * 10');
  // As if each were a chunk of a larger campaign: every second one is sampled.
  await db.sql.query(
    `update deliveries d set chunk_no = n.n - 1 from (select id, row_number() over (order by id) as n from deliveries where campaign_id = $1) n where n.id = d.id`,
    [campaignId],
  );

  expect(await timesOf(campaignId, 20_000)).toEqual({ p50Ms: 250, p95Ms: 470 });
});

test('the report of a sending campaign has them; delivery updates are no sends', async () => {
  const campaign = await createSendingCampaign(db, { count: 2 });
  const [claimed] = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  if (claimed === undefined) throw new Error('not claimed');
  const { deliveryId, fence } = claimed;
  await markSending(db, [claimed], 60_000);
  await changeDeliveryStates(db.sql, ['sending'], [{ deliveryId, fence, state: 'sent' }]);
  const before = await readCampaign(db, campaign.applicationId, campaign.campaignId);

  await changeDeliveryStates(db.sql, ['sent'], [{ deliveryId, fence, state: 'delivered' }]);

  const after = await readCampaign(db, campaign.applicationId, campaign.campaignId);
  expect(before?.timing).toMatchObject({
    firstSentAt: expect.any(Number),
    lastSentAt: expect.any(Number),
    p50Ms: expect.any(Number),
    p95Ms: expect.any(Number),
  });
  expect(after?.timing).toEqual(before?.timing);
});
