import { afterAll, expect, test } from '@jest/globals';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { connectTestDatabase, createSendingCampaign } from '@tidings/testing';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const unending = new AbortController().signal;

test('a chunk logs its attempts, also those with an unknown outcome', async () => {
  const campaign = await createSendingCampaign(db, { count: 2 });
  const channel = scriptedChannel(({ customUserId }) =>
    customUserId === campaign.recipients[0]
      ? {
          status: 'permanent',
          reason: 'provider_rejected',
          providerCode: '550',
          providerMessage: 'No',
        }
      : Promise.reject(new Error('bug')),
  );

  await sendChunk(
    testWorker(db, channel),
    { campaignId: campaign.campaignId, chunkNo: 0 },
    unending,
  );

  const attempts = (await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).filter(
    ({ outcome }) => outcome !== undefined,
  );
  const common = {
    attempt: 1,
    fence: 1,
    markedSendingAt: expect.any(Number),
    durationMs: expect.any(Number),
    traceId: campaign.traceId,
  };
  expect(
    attempts.toSorted((a, b) => String(a.outcome).localeCompare(String(b.outcome))),
  ).toMatchObject([
    {
      ...common,
      outcome: 'permanent',
      status: 'failed',
      reason: 'provider_rejected',
      providerCode: '550',
      detail: 'No',
    },
    { ...common, outcome: 'unknown', status: 'unknown', reason: 'outcome_unknown' },
  ]);
});
