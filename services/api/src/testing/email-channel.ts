import { expect } from '@jest/globals';
import { readChannelSettings } from '@tidings/accounts/channel-settings';
import { changeDeliveryStates, type StateChange } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { deliverToInbox } from '@tidings/delivery/deliver-to-inbox';
import { listCampaigns } from '@tidings/campaign-reports/reports';
import { eventually, expandAll, testSecretBox } from '@tidings/testing';
import type { Answer, TestApi } from './test-api.ts';

export type Shown = {
  readonly status: string;
  readonly settings: Record<string, unknown>;
  readonly testedAt?: number | null;
};

/** Of a channel that sent nothing. */
export const IDLE_HEALTH = {
  state: 'idle',
  since: null,
  attempts: 0,
  failed: 0,
  unknown: 0,
  reason: null,
};

export const get = ({ request, asAdmin: headers }: TestApi) =>
  request<Shown>('GET', 'channels/EMAIL', { headers });

export const put = ({ request, asAdmin: headers }: TestApi, body: unknown) =>
  request<Shown>('PUT', 'channels/EMAIL', { headers, body });

export const stored = ({ db, tenant: { applicationId } }: TestApi) =>
  readChannelSettings(db, testSecretBox, { applicationId, channel: 'EMAIL' });

/** Acts as the worker: settles the application's test send. */
export async function settleTest(
  { db, tenant: { applicationId } }: TestApi,
  outcome: Omit<StateChange, 'deliveryId' | 'fence'>,
): Promise<void> {
  const campaignId = await eventually(async () => {
    const [campaign] = await listCampaigns(db, applicationId, {
      limit: 1,
      source: 'test',
      status: 'queued',
    });
    if (campaign === undefined) throw new Error('no test send yet');
    return campaign.campaignId;
  });
  await expandAll(db, campaignId);
  const [claimed] = await claimChunk(db, {
    campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  if (claimed === undefined) throw new Error('nothing to send');
  expect(claimed.testAddress).toBe('me@example.org');
  await db.sql.query(
    'update deliveries d set account = c.account from campaigns c where c.id = $1 and d.campaign_id = c.id',
    [campaignId],
  );
  await changeDeliveryStates(
    db.sql,
    ['claimed'],
    [{ deliveryId: claimed.deliveryId, fence: claimed.fence, ...outcome }],
  );
}

/** Acts as the worker of a channel without a provider. */
export async function offerTest({ db, tenant: { applicationId } }: TestApi): Promise<void> {
  const campaignId = await eventually(async () => {
    const [campaign] = await listCampaigns(db, applicationId, {
      limit: 1,
      source: 'test',
      status: 'queued',
    });
    if (campaign === undefined) throw new Error('no test send yet');
    return campaign.campaignId;
  });
  await expandAll(db, campaignId);
  await deliverToInbox(
    db,
    await claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs: 60_000, rowsMax: 1 }),
  );
}

export async function sendTest(
  api: TestApi,
  outcome: Omit<StateChange, 'deliveryId' | 'fence'>,
): Promise<Answer> {
  const [answer] = await Promise.all([
    api.request('POST', 'channels/EMAIL/test', {
      headers: api.asAdmin,
      body: { to: 'me@example.org' },
    }),
    settleTest(api, outcome),
  ]);
  return answer;
}
