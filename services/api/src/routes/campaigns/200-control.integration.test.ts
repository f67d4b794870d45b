import { afterAll, expect, test } from '@jest/globals';
import { markChannelReady } from '@tidings/accounts/channel-settings';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { completeCampaigns } from '@tidings/delivery/sweeps';
import {
  configureEmail,
  createOwnDatabase,
  expandAll,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

// Completion is a sweep over the whole database, 100 campaigns at a time.
const api = await startTestApi({}, await createOwnDatabase());
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
await configureEmail(db, tenant.applicationId);
await markChannelReady(db, { applicationId: tenant.applicationId, channel: 'EMAIL', version: 1 });

const post = (path: string, headers = api.asServer) =>
  api.request('POST', `campaigns/${path}`, { headers });

/** An expanded campaign to three recipients. */
async function sending(): Promise<NewCampaign> {
  const recipients = someIds(3);
  await registerUsers(db, tenant.applicationId, recipients);
  const campaign = newCampaign({ applicationId: tenant.applicationId, recipients });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign;
}

test('pause, resume and cancel return the changed record', async () => {
  const { campaignId } = await sending();

  expect(await post(`${campaignId}/pause`)).toMatchObject({
    status: 200,
    body: { campaignId, status: 'paused', counts: { total: 3, pending: 3 } },
  });
  expect(await post(`${campaignId}/resume`)).toMatchObject({
    status: 200,
    body: { status: 'sending', counts: { pending: 3 } },
  });
  expect(await post(`${campaignId}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'canceled', counts: { total: 3, pending: 0, canceled: 3 } },
  });
});

test('retry-failed returns the failures as pending', async () => {
  const { campaignId } = await sending();
  const claimed = await claimChunk(db, {
    campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 3,
  });
  await markSending(db, claimed, 60_000);
  await changeDeliveryStates(
    db.sql,
    ['sending'],
    claimed.map(({ deliveryId, fence }, index) => ({
      deliveryId,
      fence,
      ...(index === 0 ? { state: 'sent' } : { state: 'failed', reason: 'provider_rejected' }),
    })),
  );
  await completeCampaigns(db);

  const { status, body } = await post(`${campaignId}/retry-failed`);

  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'sending',
    counts: { total: 3, successful: 1, failed: 0, pending: 2 },
    failures: {},
    timing: { completedAt: null },
  });
});

test('an administrator may do so too; the event log names the actor', async () => {
  const { campaignId } = await sending();
  await post(`${campaignId.toUpperCase()}/pause`, api.asAdmin);
  await post(`${campaignId}/cancel`);

  const { body } = await api.request<{ items: { type: string; detail?: string }[] }>(
    'GET',
    `campaigns/${campaignId}/events`,
    { headers: api.asServer },
  );

  expect(
    body.items
      .filter(({ detail }) => detail !== undefined)
      .map(({ type, detail }) => [type, detail]),
  ).toEqual([
    ['campaign.paused', 'token:test'],
    ['campaign.canceled', 'key:server key'],
  ]);
});
