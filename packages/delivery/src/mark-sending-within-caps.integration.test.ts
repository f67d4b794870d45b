import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  connectTestDatabase,
  createSendingApplication,
  expandAll,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import {
  markSendingWithinCaps,
  purgeCountedSends,
  refundDailyUnits,
  type SendCaps,
} from './mark-sending-within-caps.ts';
import { changeDeliveryStates } from './change-states.ts';
import { claimChunk, type ClaimedDelivery } from './claims.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const HOUR_MS = 3_600_000;
const DAY = '2026-11-21';
const LEASE_MS = 60_000;

let applicationId: string;
let users: string[];
beforeEach(async () => {
  ({ applicationId } = await createSendingApplication(db));
  users = someIds(10);
  await registerUsers(db, applicationId, users);
});

type Claimed = { readonly campaign: NewCampaign; readonly claimed: readonly ClaimedDelivery[] };

async function claimCampaign(recipients: readonly string[] = users): Promise<Claimed> {
  const campaign = newCampaign({
    applicationId,
    purpose: 'marketing',
    recipients: [...recipients],
  });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return {
    campaign,
    claimed: await claimChunk(db, {
      campaignId: campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: LEASE_MS,
      rowsMax: 100,
    }),
  };
}

const mark = ({ campaign: { campaignId }, claimed }: Claimed, caps: Partial<SendCaps>) =>
  markSendingWithinCaps(db, {
    applicationId,
    campaignId,
    channel: 'EMAIL',
    deliveries: claimed,
    leaseMs: LEASE_MS,
    caps: { frequency: null, daily: null, ...caps },
  });

const settle = ({ claimed }: Claimed, state: 'sent' | 'failed' | 'retry_wait') =>
  changeDeliveryStates(
    db.sql,
    ['sending', 'sent'],
    claimed.map(({ deliveryId, fence }) => ({ deliveryId, fence, state })),
  );

const age = (hours: number) =>
  db.sql.query(
    `update marketing_sends s set armed_at = s.armed_at - $2 * interval '1 hour' from users u where u.id = s.user_id and u.application_id = $1`,
    [applicationId, hours],
  );

const usedUnits = async (): Promise<number | undefined> =>
  (
    await db.sql.query<{ units: number }>(
      'select units::float8 as units from daily_sends where application_id = $1',
      [applicationId],
    )
  ).rows[0]?.units;

const cappedEvents = async ({ campaign }: Claimed) =>
  (
    await db.sql.query(
      `select type, reason, detail from campaign_events where campaign_id = $1 and type = 'campaign.spend_capped'`,
      [campaign.campaignId],
    )
  ).rows;

describe('a frequency cap', () => {
  const two = { frequency: { messages: 2, windowMs: 24 * HOUR_MS } };

  test('allows the maximum per user, and returns when one more is allowed', async () => {
    await mark(await claimCampaign(), two);
    await age(10);
    expect((await mark(await claimCampaign(users.slice(0, 5)), two)).marked.size).toBe(5);

    const third = await claimCampaign();
    const { marked, frequencyCapped, spendCapped } = await mark(third, two);

    expect(marked.size).toBe(5);
    expect(spendCapped).toEqual([]);
    expect([...frequencyCapped.keys()].toSorted()).toEqual(
      third.claimed
        .filter(({ customUserId }) => users.slice(0, 5).includes(customUserId))
        .map(({ deliveryId }) => deliveryId)
        .toSorted(),
    );
    // The first of the two leaves the window in 14 hours.
    for (const delayMs of frequencyCapped.values()) expect(delayMs / HOUR_MS).toBeCloseTo(14, 1);
  });

  test('slides: older messages do not count', async () => {
    await mark(await claimCampaign(), two);
    await mark(await claimCampaign(), two);
    await age(24.01);

    expect((await mark(await claimCampaign(), two)).marked.size).toBe(10);
  });

  test('does not count what failed, and counts what was sent, may have been, or waits for another try', async () => {
    const one = { frequency: { messages: 1, windowMs: 24 * HOUR_MS } };
    const [failed, sent, waiting, doubtful] = [
      users.slice(0, 2),
      users.slice(2, 4),
      users.slice(4, 6),
      users.slice(6, 8),
    ];
    const groups = {
      failed: await claimCampaign(failed),
      sent: await claimCampaign(sent),
      waiting: await claimCampaign(waiting),
      doubtful: await claimCampaign(doubtful),
    };
    for (const group of Object.values(groups)) expect((await mark(group, one)).marked.size).toBe(2);
    await settle(groups.failed, 'failed');
    await settle(groups.sent, 'sent');
    await settle(groups.waiting, 'retry_wait');

    const next = await claimCampaign();
    const { marked } = await mark(next, one);

    const names = next.claimed
      .filter(({ deliveryId }) => marked.has(deliveryId))
      .map(({ customUserId }) => customUserId);
    expect(names.toSorted()).toEqual([...failed, ...users.slice(8)].toSorted());
  });

  test('is no obstacle to another try of a message that has its place', async () => {
    const one = { frequency: { messages: 1, windowMs: 24 * HOUR_MS } };
    const group = await claimCampaign();
    await mark(group, one);
    await settle(group, 'retry_wait');
    const again = await claimChunk(db, {
      campaignId: group.campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: LEASE_MS,
      rowsMax: 100,
    });

    expect((await mark({ ...group, claimed: again }, one)).marked.size).toBe(10);
  });

  test('two campaigns at once never both take the last place of a user', async () => {
    const one = { frequency: { messages: 1, windowMs: HOUR_MS } };
    const groups = await Promise.all([1, 2, 3, 4].map(() => claimCampaign()));

    const armings = await Promise.all(
      groups.flatMap((group) =>
        [0, 5].map((start) =>
          mark({ ...group, claimed: group.claimed.slice(start, start + 5) }, one),
        ),
      ),
    );

    expect(armings.reduce((sum, { marked }) => sum + marked.size, 0)).toBe(10);
    expect(armings.reduce((sum, { frequencyCapped }) => sum + frequencyCapped.size, 0)).toBe(30);
  });

  test('rows that cannot be marked use no units', async () => {
    const one = { frequency: { messages: 1, windowMs: HOUR_MS } };
    const group = await claimCampaign();
    await db.sql.query(`update campaigns set status = 'paused' where id = $1`, [
      group.campaign.campaignId,
    ]);

    expect((await mark(group, one)).marked.size).toBe(0);
    expect((await mark(await claimCampaign(), one)).marked.size).toBe(10);
  });

  test('keeps no more than it may count', async () => {
    await mark(await claimCampaign(), two);
    await age(25);
    await mark(await claimCampaign(users.slice(0, 3)), two);

    await purgeCountedSends(db, { windowHours: 24, limit: 1_000 });

    const { rows } = await db.sql.query<{ n: number }>(
      'select count(*)::int as n from marketing_sends s join users u on u.id = s.user_id where u.application_id = $1',
      [applicationId],
    );
    expect(rows[0]?.n).toBe(3);
  });
});

describe('a daily cap', () => {
  const daily = (units: number, unitsEach = 1, day = DAY) => ({ daily: { day, units, unitsEach } });

  test('allows the maximum units per day, logs the cap once, and starts again the next day', async () => {
    const first = await claimCampaign();
    const second = await claimCampaign();

    expect((await mark(first, daily(15))).marked.size).toBe(10);
    const { marked, spendCapped } = await mark(second, daily(15));
    const more = await mark(await claimCampaign(), daily(15));

    expect([marked.size, spendCapped.length]).toEqual([5, 5]);
    expect([more.marked.size, more.spendCapped.length]).toEqual([0, 10]);
    expect(await usedUnits()).toBe(15);
    expect(await cappedEvents(first)).toEqual([]);
    await mark(second, daily(15));
    expect(await cappedEvents(second)).toEqual([
      { type: 'campaign.spend_capped', reason: 'spend_cap', detail: DAY },
    ]);
    expect((await mark(await claimCampaign(), daily(15, 1, '2026-11-22'))).marked.size).toBe(10);
  });

  test('counts segments, and is never exceeded by a part of a message', async () => {
    const { marked } = await mark(await claimCampaign(), daily(14, 3));

    expect(marked.size).toBe(4);
    expect(await usedUnits()).toBe(12);
  });

  test('concurrent groups never exceed it, and use all of it', async () => {
    const groups = await Promise.all([1, 2, 3, 4, 5].map(() => claimCampaign()));

    const armings = await Promise.all(
      groups.flatMap((group) =>
        [0, 5].map((start) =>
          mark({ ...group, claimed: group.claimed.slice(start, start + 5) }, daily(23)),
        ),
      ),
    );

    expect(armings.reduce((sum, { marked }) => sum + marked.size, 0)).toBe(23);
    expect(await usedUnits()).toBe(23);
  });

  test('rows that cannot be marked leave their units to the next', async () => {
    const group = await claimCampaign();
    const stale = group.claimed.map((delivery, index) =>
      index < 5 ? { ...delivery, fence: 0 } : delivery,
    );

    const { marked, spendCapped } = await mark({ ...group, claimed: stale }, daily(5));

    expect([...marked].toSorted()).toEqual(
      group.claimed
        .slice(5)
        .map(({ deliveryId }) => deliveryId)
        .toSorted(),
    );
    expect(spendCapped).toEqual([]);
  });

  test('has room again for what was given back, never for more', async () => {
    await mark(await claimCampaign(), daily(10));

    await refundDailyUnits(db, { applicationId, channel: 'EMAIL', day: DAY, units: 4 });
    expect((await mark(await claimCampaign(), daily(10))).marked.size).toBe(4);

    await refundDailyUnits(db, { applicationId, channel: 'EMAIL', day: DAY, units: 400 });
    expect(await usedUnits()).toBe(0);
  });

  test('and a frequency cap: neither takes of the other what it does not use', async () => {
    const caps = { ...daily(12), frequency: { messages: 1, windowMs: HOUR_MS } };

    expect((await mark(await claimCampaign(), caps)).marked.size).toBe(10);
    const { marked, frequencyCapped, spendCapped } = await mark(await claimCampaign(), caps);

    expect([marked.size, frequencyCapped.size, spendCapped.length]).toEqual([0, 10, 0]);
    expect(await usedUnits()).toBe(10);
  });
});
