import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  configureChannel,
  createOwnDatabase,
  createSendingApplication,
  createSendingCampaign,
  createTestApplication,
  expandAll,
  newCampaign,
  someDevices,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { dueBulkChunks } from './bulk.ts';
import { changeDeliveryStates, targetOf } from './change-states.ts';
import { dueChunks, putOffChunk, scheduleChunks, takeChunks } from './chunks.ts';
import { releaseClaims, type ClaimedDelivery } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { takeUnknownDeliveries } from './outcome-polling.ts';
import { correctFutureTimes } from './future-times.ts';
import { expireCampaigns, expireSendingLeases } from './sweeps.ts';
import { addressesOf } from './testing/addressed-campaigns.ts';
import { writeAnHourAhead } from './testing/clock-ahead.ts';
import { controlOf, LEASE_MS } from './testing/controlled-campaigns.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
beforeEach(() =>
  db.sql.query(
    'update campaign_chunks set due_at = null, leased_until = null, unresolved_at = null',
  ),
);

const { claim, claimAndMarkSending } = controlOf(db);
const { claim: claimPushes, pushTo } = addressesOf(db);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NONE = { campaign_chunks: 0, deliveries: 0, delivery_addresses: 0 };

const take = ({ campaignId }: NewCampaign) => takeChunks(db, [{ campaignId, chunkNo: 0 }], 30_000);
const isDue = async ({ campaignId }: NewCampaign) =>
  (await dueChunks(db)).some((chunk) => chunk.campaignId === campaignId);

/** Minutes until the chunk is due; null if never. */
async function dueInMinutes({ campaignId }: NewCampaign): Promise<number | null> {
  const { rows } = await db.sql.query<{ minutes: number | null }>(
    'select round(extract(epoch from due_at - now()) / 60)::int as minutes from campaign_chunks where campaign_id = $1',
    [campaignId],
  );
  return rows[0]?.minutes ?? null;
}

/** The state of each delivery, and the minutes until its lease ends. */
async function leasesOf({ campaignId }: NewCampaign) {
  const { rows } = await db.sql.query<{ state: string; minutes: number | null }>(
    'select state, round(extract(epoch from lease_until - now()) / 60)::int as minutes from deliveries where campaign_id = $1 order by id',
    [campaignId],
  );
  return rows;
}

const retry = (claims: readonly ClaimedDelivery[], delayMs: number) =>
  changeDeliveryStates(
    db.sql,
    ['sending'],
    claims.map((one) => ({
      ...targetOf(one),
      fence: one.fence,
      state: 'retry_wait' as const,
      reason: 'provider_unavailable' as const,
      delayMs,
    })),
  );

describe('the clock of Postgres was an hour ahead and is put right', () => {
  test('a campaign that was expanded meanwhile is sent at once', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });
    await writeAnHourAhead(db, campaign.campaignId);
    expect(await isDue(campaign)).toBe(false);

    expect(await correctFutureTimes(db)).toEqual({
      campaign_chunks: 1,
      deliveries: 3,
      delivery_addresses: 0,
    });

    expect(await isDue(campaign)).toBe(true);
    expect(await take(campaign)).toHaveLength(1);
    expect(await claim(campaign)).toHaveLength(3);
    expect(await correctFutureTimes(db)).toEqual(NONE);
  });

  test('so is a large one', async () => {
    const campaign = await createSendingCampaign(db, { count: 1_001 });
    await writeAnHourAhead(db, campaign.campaignId);
    expect(await dueBulkChunks(db, 100)).toEqual([]);

    expect(await correctFutureTimes(db)).toEqual({
      campaign_chunks: 6,
      deliveries: 1_001,
      delivery_addresses: 0,
    });

    expect(
      (await dueBulkChunks(db, 100)).filter(({ campaignId }) => campaignId === campaign.campaignId),
    ).toHaveLength(6);
  });

  test.each([
    [
      'that waits for another try',
      async (campaign: NewCampaign) =>
        void (await retry(await claimAndMarkSending(campaign, 200), 5 * MINUTE_MS)),
    ],
    [
      'that was claimed by a worker that is gone',
      async (campaign: NewCampaign) => void (await claim(campaign, { leaseMs: MINUTE_MS })),
    ],
    [
      'that was given back',
      async (campaign: NewCampaign) => releaseClaims(db, await claim(campaign), MINUTE_MS),
    ],
  ])(
    'a delivery %s is claimed at once, also when its chunk was written by the right clock',
    async (_what, write) => {
      const campaign = await createSendingCampaign(db, { count: 2 });
      await write(campaign);
      expect(await claim(campaign)).toEqual([]);
      await writeAnHourAhead(db, campaign.campaignId, { tables: ['deliveries'] });
      await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
        campaign.campaignId,
      ]);

      expect(await take(campaign)).toHaveLength(1);
      expect(await claim(campaign)).toHaveLength(2);
    },
  );

  test('an address of a delivery is claimed at once, and counted', async () => {
    const campaign = await pushTo(someDevices(3));
    await releaseClaims(db, await claimPushes(campaign), MINUTE_MS);
    await scheduleChunks(db, [{ campaignId: campaign.campaignId, chunkNo: 0 }], 'WEB_PUSH');
    await writeAnHourAhead(db, campaign.campaignId);
    await db.sql.query(
      `update deliveries set updated_at = updated_at - interval '1 hour' where campaign_id = $1`,
      [campaign.campaignId],
    );

    expect(await correctFutureTimes(db)).toEqual({
      campaign_chunks: 1,
      deliveries: 0,
      delivery_addresses: 3,
    });

    expect(await take(campaign)).toHaveLength(1);
    expect(await claimPushes(campaign)).toHaveLength(3);
  });

  test('what the right clock holds for the night, or for a week, stays held beside a delivery that was written ahead', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });
    const [night, week, ahead] = await claim(campaign);
    if (!night || !week || !ahead) throw new Error('not claimed');
    await releaseClaims(db, [night, week, ahead], [10 * HOUR_MS, 7 * DAY_MS, MINUTE_MS]);
    await writeAnHourAhead(db, campaign.campaignId, {
      tables: ['deliveries'],
      where: `id = '${ahead.deliveryId}'`,
    });
    await writeAnHourAhead(db, campaign.campaignId, { tables: ['campaign_chunks'] });

    expect(await correctFutureTimes(db)).toMatchObject({ campaign_chunks: 1, deliveries: 1 });
    await take(campaign);
    const claimed = await claim(campaign);
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual([ahead.deliveryId]);
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.map(({ deliveryId, fence }) => ({ deliveryId, fence, state: 'sent' })),
    );

    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    expect(await take(campaign)).toEqual([]);
    expect(await dueInMinutes(campaign)).toBe(600);
    expect(await claim(campaign)).toEqual([]);
    expect(await correctFutureTimes(db)).toEqual(NONE);
  });

  test('a chunk stays marked until it is rescheduled, even if the corrected clock writes to it before', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });
    const [marked] = await claim(campaign, { rowsMax: 1 });
    if (!marked) throw new Error('not claimed');
    await writeAnHourAhead(db, campaign.campaignId);

    await markSending(db, [marked], LEASE_MS);
    await putOffChunk(db, { campaignId: campaign.campaignId, chunkNo: 0 }, { delayMs: MINUTE_MS });
    expect(await dueInMinutes(campaign)).toBe(60);

    expect(await correctFutureTimes(db)).toMatchObject({ campaign_chunks: 1, deliveries: 2 });
    expect(await isDue(campaign)).toBe(true);
  });

  test.each([
    ['with its chunk', undefined],
    ['alone', ['deliveries'] as const],
  ])(
    'a send that was marked meanwhile %s may be under way: it has its lease anew, and is unknown after that',
    async (_what, tables) => {
      const campaign = await createSendingCampaign(db);
      await claimAndMarkSending(campaign, 1);
      await writeAnHourAhead(db, campaign.campaignId, tables && { tables: [...tables] });
      if (tables)
        await db.sql.query(
          `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1`,
          [campaign.campaignId],
        );

      await correctFutureTimes(db);
      expect(await expireSendingLeases(db)).toBe(0);
      expect(await leasesOf(campaign)).toEqual([
        { state: 'sending', minutes: LEASE_MS / MINUTE_MS },
      ]);

      await db.sql.query(
        `update deliveries set lease_until = now() - interval '1 ms' where campaign_id = $1`,
        [campaign.campaignId],
      );
      await db.sql.query(
        `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1`,
        [campaign.campaignId],
      );
      expect(await expireSendingLeases(db)).toBe(1);
      expect(await leasesOf(campaign)).toMatchObject([{ state: 'unknown' }]);
    },
  );

  test('so has a send to one of several devices', async () => {
    const { marked } = addressesOf(db);
    const { campaign } = await marked(2);
    await writeAnHourAhead(db, campaign.campaignId);

    await correctFutureTimes(db);
    expect(await expireSendingLeases(db)).toBe(0);

    const { rows } = await db.sql.query(
      'select state, round(extract(epoch from lease_until - now()) / 60)::int as minutes from delivery_addresses where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rows).toEqual(
      Array.from({ length: 2 }, () => ({ state: 'sending', minutes: LEASE_MS / MINUTE_MS })),
    );
  });

  test('what a worker had claimed expires with its campaign', async () => {
    const campaign = await createSendingCampaign(db);
    await claim(campaign);
    await writeAnHourAhead(db, campaign.campaignId);
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    expect(await expireCampaigns(db)).toBe(1);
  });

  test('a recipient unknown then is looked up for the full time, from now on', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = newCampaign({ applicationId, recipients: ['unknown'] });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    await writeAnHourAhead(db, campaign.campaignId);

    await correctFutureTimes(db);
    await resolveUnknownRecipients(db);
    expect(await leasesOf(campaign)).toMatchObject([{ state: 'pending' }]);

    await db.sql.query(
      `update campaign_chunks set unresolved_at = unresolved_at - interval '1 minute' where campaign_id = $1`,
      [campaign.campaignId],
    );
    await resolveUnknownRecipients(db);
    expect(await leasesOf(campaign)).toMatchObject([{ state: 'failed' }]);
  });

  test('an outcome that became unknown meanwhile is asked about at once, and again by the right clock', async () => {
    const { applicationId } = await createTestApplication(db);
    await configureChannel(db, applicationId, 'SMS');
    const campaign = await createSendingCampaign(db, {
      applicationId,
      channel: 'SMS',
      message: { body: 'x' },
    });
    const sends = await claimAndMarkSending(campaign, 1);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      sends.map(({ deliveryId, fence }) => ({
        deliveryId,
        fence,
        state: 'unknown',
        reason: 'outcome_unknown',
      })),
    );
    await db.sql.query(`update deliveries set looked_up_at = now() where campaign_id = $1`, [
      campaign.campaignId,
    ]);
    await writeAnHourAhead(db, campaign.campaignId);
    await db.sql.query(`update open_outcomes set since = since + interval '1 hour'`);
    const look = () =>
      takeUnknownDeliveries(db, 'SMS', {
        afterMs: MINUTE_MS,
        intervalMs: MINUTE_MS,
        untilMs: 15 * MINUTE_MS,
      });

    expect(await look()).toHaveLength(1);
    expect(await look()).toEqual([]);
  });
});
