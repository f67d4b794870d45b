import { afterAll, describe, expect, test } from '@jest/globals';
import {
  connectTestDatabase,
  createPushCampaign,
  expandAll,
  newCampaign,
  someDevices,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import {
  markSendingWithinCaps,
  refundDailyUnits,
  type SendCaps,
} from './mark-sending-within-caps.ts';
import { changeDeliveryStates, targetOf } from './change-states.ts';
import { claimChunk, type ClaimedDelivery } from './claims.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const HOUR_MS = 3_600_000;
const DAY = '2026-11-21';
const LEASE_MS = 60_000;

type Claimed = { readonly campaign: NewCampaign; readonly claimed: readonly ClaimedDelivery[] };

describe('a user with several devices', () => {
  const daily = (units: number) => ({ daily: { day: DAY, units, unitsEach: 1 } });
  const used = async ({ campaign }: Claimed): Promise<number | undefined> =>
    (
      await db.sql.query<{ units: number }>(
        'select units::float8 as units from daily_sends where application_id = $1',
        [campaign.applicationId],
      )
    ).rows[0]?.units;
  const settleAs = ({ claimed }: Claimed, state: 'sent' | 'failed' | 'retry_wait') =>
    changeDeliveryStates(
      db.sql,
      ['sending'],
      claimed.map((claim) => ({ ...targetOf(claim), fence: claim.fence, state })),
    );
  const returned = ({ campaign }: Claimed, { deliveryId }: ClaimedDelivery) =>
    refundDailyUnits(db, {
      applicationId: campaign.applicationId,
      channel: 'WEB_PUSH',
      day: DAY,
      units: 1,
      deliveryId,
    });

  async function claimPush(numbers: readonly number[]): Promise<Claimed> {
    const campaign = await createPushCampaign(db, {
      devices: someDevices(...numbers),
      purpose: 'marketing',
    });
    return { campaign, claimed: await claimPushes(campaign) };
  }

  const claimPushes = ({ campaignId }: NewCampaign) =>
    claimChunk(db, {
      channel: 'WEB_PUSH',
      campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: LEASE_MS,
      rowsMax: 100,
    });
  const armPush = (
    { campaign: { applicationId: id, campaignId }, claimed }: Claimed,
    caps: Partial<SendCaps>,
  ) =>
    markSendingWithinCaps(db, {
      applicationId: id,
      campaignId,
      channel: 'WEB_PUSH',
      deliveries: claimed,
      leaseMs: LEASE_MS,
      caps: { frequency: null, daily: null, ...caps },
    });

  test('counts once against the daily cap, with all of them or with none', async () => {
    const group = await claimPush([3, 2, 2]);

    const { marked, spendCapped } = await armPush(group, daily(2));

    expect([...marked].length).toBe(5);
    expect(spendCapped.map(({ deliveryId }) => deliveryId)).toEqual([
      group.claimed[5]?.deliveryId,
      group.claimed[6]?.deliveryId,
    ]);
    expect(await used(group)).toBe(2);
  });

  test('counts once, also when the devices are marked one after another, or again', async () => {
    const group = await claimPush([3]);
    for (const claim of group.claimed) await armPush({ ...group, claimed: [claim] }, daily(1));
    await settleAs(group, 'retry_wait');
    await db.sql.query('update delivery_addresses set next_at = now() where campaign_id = $1', [
      group.campaign.campaignId,
    ]);

    const { marked } = await armPush(
      { ...group, claimed: await claimPushes(group.campaign) },
      daily(1),
    );

    expect(marked.size).toBe(3);
    expect(await used(group)).toBe(1);
  });

  test('is counted until all of them have failed, and given back once', async () => {
    const group = await claimPush([2]);
    await armPush(group, daily(1));
    const [first, second] = group.claimed as [ClaimedDelivery, ClaimedDelivery];

    await settleAs({ ...group, claimed: [first] }, 'failed');
    await returned(group, first);
    expect(await used(group)).toBe(1);
    await settleAs({ ...group, claimed: [second] }, 'failed');
    await Promise.all([returned(group, first), returned(group, second)]);
    expect(await used(group)).toBe(0);
  });

  test('has had one message, by a frequency cap, and none of his devices gets another campaign’s', async () => {
    const devices = someDevices(3);
    const group = await claimPush([0]);
    const { applicationId: id } = group.campaign;
    const first = await createPushCampaign(db, {
      devices,
      applicationId: id,
      purpose: 'marketing',
    });
    const second = newCampaign({
      applicationId: id,
      channel: 'WEB_PUSH',
      purpose: 'marketing',
      recipients: Object.keys(devices),
    });
    await acceptCampaign(db, second);
    await expandAll(db, second.campaignId);
    const one = { frequency: { messages: 1, windowMs: HOUR_MS } };
    const own = { campaign: first, claimed: await claimPushes(first) };

    const armings = [];
    for (const claim of own.claimed) armings.push(await armPush({ ...own, claimed: [claim] }, one));
    const other = await armPush({ campaign: second, claimed: await claimPushes(second) }, one);

    expect(armings.map(({ marked }) => marked.size)).toEqual([1, 1, 1]);
    expect([other.marked.size, other.frequencyCapped.size]).toEqual([0, 1]);
  });
});
