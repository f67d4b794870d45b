import { afterAll, expect, test } from '@jest/globals';
import { CAMPAIGN_ACTIONS } from '@tidings/contracts/push/campaigns';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { completeCampaigns } from '@tidings/delivery/sweeps';
import { resolveUnknownRecipients } from '@tidings/delivery/unknown-recipients';
import { createOwnDatabase, expandAll, newCampaign } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

// Expansion and completion are batched sweeps over the whole database.
const api = await startTestApi({}, await createOwnDatabase());
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;

const post = ({ campaignId }: NewCampaign, action: string) =>
  api.request('POST', `campaigns/${campaignId}/${action}`, { headers: api.asServer });

async function accepted(): Promise<NewCampaign> {
  const campaign = newCampaign({ applicationId: tenant.applicationId });
  await acceptCampaign(db, campaign);
  return campaign;
}

test.each([
  ['queued', ['pause', 'resume', 'retry-failed']],
  ['sending', ['resume', 'retry-failed']],
  ['paused', ['pause', 'retry-failed']],
  ['completed', ['pause', 'resume', 'cancel']],
  ['canceled', CAMPAIGN_ACTIONS],
  ['failed', CAMPAIGN_ACTIONS],
])('the status %s does not allow %s', async (status, actions) => {
  const campaign = await accepted();
  await db.sql.query('update campaigns set status = $2 where id = $1', [
    campaign.campaignId,
    status,
  ]);

  for (const action of actions) {
    const { problem } = await post(campaign, action);
    expect(problem).toMatchObject({
      status: 409,
      code: 'conflict',
      detail: expect.stringContaining(`A ${status} campaign cannot be`),
    });
  }
  expect(
    (
      await api.request('GET', `campaigns/${campaign.campaignId}`, {
        headers: api.asServer,
      })
    ).body,
  ).toMatchObject({ status });
});

test('a retry through a channel that is not ready', async () => {
  const campaign = await accepted();
  await expandAll(db, campaign.campaignId);
  await db.sql.query(
    `update deliveries set created_at = now() - interval '1 minute' where campaign_id = $1`,
    [campaign.campaignId],
  );
  await resolveUnknownRecipients(db);
  await completeCampaigns(db);

  expect((await post(campaign, 'retry-failed')).problem).toMatchObject({
    status: 409,
    code: 'conflict',
    detail: expect.stringContaining('channel'),
  });
});
