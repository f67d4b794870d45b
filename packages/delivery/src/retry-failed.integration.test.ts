import { afterAll, describe, expect, test } from '@jest/globals';
import {
  createOwnDatabase,
  createSendingApplication,
  createSendingCampaign,
  expandAll,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { acceptCampaign } from './accept.ts';
import { markSending } from './mark-sending.ts';
import { applyStatusUpdate } from './status-updates.ts';
import { completeCampaigns } from './sweeps.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';
import { LEASE_MS, controlOf } from './testing/controlled-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const {
  act,
  record,
  claim,
  claimAndMarkSending,
  settle,
  pass,
  countsOf,
  statusOf,
  markedChunks,
  dispatched,
  completed,
} = controlOf(db);

describe('retry-failed', () => {
  test('only failures that no provider has accepted, with no attempts, a new fence and the time of the beginning', async () => {
    const campaign = await completed(5);
    expect(await countsOf(campaign)).toEqual({ sent: 1, failed: 4 });
    const span = campaign.expiresAt - campaign.createdAt;

    expect(await act(campaign, 'retry-failed')).toEqual({ outcome: 'done' });

    expect(await countsOf(campaign)).toEqual({ pending: 3, sent: 1, failed: 1 });
    expect(await record(campaign)).toMatchObject({
      status: 'sending',
      timing: { completedAt: null, durationMs: null, p50Ms: expect.any(Number) },
    });
    expect(await dispatched(campaign)).toEqual([0]);
    const again = await claimAndMarkSending(campaign, 5);
    expect(again.map(({ attempts, fence }) => [attempts, fence])).toEqual(
      Array.from({ length: 3 }, () => [0, 3]),
    );
    const { rows } = await db.sql.query<{ left_ms: number }>(
      'select (extract(epoch from expires_at - now()) * 1000)::float8 as left_ms from campaigns where id = $1',
      [campaign.campaignId],
    );
    expect(Number(rows[0]?.left_ms)).toBeGreaterThan(span - 60_000);
    expect(Number(rows[0]?.left_ms)).toBeLessThanOrEqual(span);
    await settle(again, 'sent');
    await completeCampaigns(db);
    expect(await countsOf(campaign)).toEqual({ sent: 4, failed: 1 });
    expect(await record(campaign)).toMatchObject({
      status: 'completed',
      timing: { completedAt: expect.any(Number), p50Ms: expect.any(Number) },
    });
  });

  test('a failure after an attempt with an unknown outcome is not retried: it may have arrived', async () => {
    const campaign = await completed(3);
    await db.sql.query('update deliveries set doubts = 1 where campaign_id = $1', [
      campaign.campaignId,
    ]);

    expect(await act(campaign, 'retry-failed')).toEqual({ outcome: 'nothing_to_retry' });
  });

  test('tried again twice, it has the time of the beginning twice', async () => {
    const campaign = await completed(3);
    const leftMs = async () => {
      const { rows } = await db.sql.query<{ left_ms: number }>(
        'select (extract(epoch from expires_at - now()) * 1000)::float8 as left_ms from campaigns where id = $1',
        [campaign.campaignId],
      );
      return Number(rows[0]?.left_ms);
    };
    for (let tries = 0; tries < 2; tries += 1) {
      await act(campaign, 'retry-failed');
      expect(await leftMs()).toBeLessThanOrEqual(3_600_000);
      await settle(await claimAndMarkSending(campaign, 3), 'failed');
      await completeCampaigns(db);
    }
    await act(campaign, 'retry-failed');

    expect(await leftMs()).toBeGreaterThan(3_500_000);
    expect(await leftMs()).toBeLessThanOrEqual(3_600_000);
  });

  test('an outcome or a callback of an earlier attempt changes nothing', async () => {
    const campaign = await createSendingCampaign(db, { count: 1 });
    const [first] = await claimAndMarkSending(campaign, 1);
    if (first === undefined) throw new Error('not marked');
    await settle([first], 'failed');
    await completeCampaigns(db);
    await act(campaign, 'retry-failed');

    const news = { deliveryId: first.deliveryId, fence: first.fence, state: 'delivered' } as const;
    expect(await applyStatusUpdate(db, news)).toBe(false);
    const [second] = await claimAndMarkSending(campaign, 1);
    if (second === undefined) throw new Error('not marked again');
    expect(await applyStatusUpdate(db, news)).toBe(false);
    expect(await settle([first], 'sent')).toEqual(new Set());

    expect(await countsOf(campaign)).toEqual({ pending: 1 });
    expect(await applyStatusUpdate(db, { ...news, fence: second.fence })).toBe(true);
  });

  test('of a campaign whose chunks were all settled: each is due again, also those changed by later steps, and it cannot complete before', async () => {
    const campaign = await completed(1_450);
    expect(await dispatched(campaign)).toEqual([]);
    await act(campaign, 'retry-failed');
    expect(await countsOf(campaign)).toEqual({ pending: 990, sent: 8, failed: 452 });
    expect(await markedChunks(campaign)).toBe(3);
    expect(await dispatched(campaign)).toEqual([0, 1, 2, 3, 4]);
    for (let chunkNo = 0; chunkNo < 5; chunkNo += 1) {
      const claimed = await claim(campaign, { chunkNo });
      await markSending(db, claimed, LEASE_MS);
      await settle(claimed, 'sent');
    }
    await completeCampaigns(db);
    expect(await statusOf(campaign)).toBe('sending');

    await Promise.all([pass(), pass()]);

    expect(await dispatched(campaign)).toEqual([5, 6, 7]);
    expect(await countsOf(campaign)).toEqual({ pending: 444, sent: 998, failed: 8 });
    for (let chunkNo = 5; chunkNo < 8; chunkNo += 1) {
      const claimed = await claim(campaign, { chunkNo });
      await markSending(db, claimed, LEASE_MS);
      await settle(claimed, 'sent');
    }
    await completeCampaigns(db);
    expect(await statusOf(campaign)).toBe('completed');
    expect(await countsOf(campaign)).toEqual({ sent: 1_442, failed: 8 });
  }, 60_000);

  test('a cancel that follows at once leaves the other failures as they are', async () => {
    const campaign = await completed(1_450);
    await act(campaign, 'retry-failed');
    await act(campaign, 'cancel');
    await pass();

    expect(await countsOf(campaign)).toEqual({ canceled: 990, sent: 8, failed: 452 });
    expect(await markedChunks(campaign)).toBe(0);
  }, 60_000);

  test('a recipient who was unknown and has registered is sent to; one who is still unknown fails again', async () => {
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(2);
    const campaign = newCampaign({ applicationId, recipients });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    await db.sql.query(
      `update deliveries set created_at = created_at - interval '1 minute' where campaign_id = $1`,
      [campaign.campaignId],
    );
    await resolveUnknownRecipients(db);
    await completeCampaigns(db);
    await registerUsers(db, applicationId, recipients.slice(0, 1));

    await act(campaign, 'retry-failed');
    await resolveUnknownRecipients(db);

    expect(await countsOf(campaign)).toEqual({ pending: 1, failed: 1 });
    expect(await dispatched(campaign)).toEqual([0]);
    expect(await claim(campaign)).toHaveLength(1);
  });

  test('without such failures, or while the channel does not send, nothing is changed', async () => {
    const nothing = await completed(3, 'unknown');
    expect(await act(nothing, 'retry-failed')).toEqual({ outcome: 'nothing_to_retry' });
    const unready = await completed(3);
    await db.sql.query(
      `update channel_settings set status = 'untested' where application_id = $1`,
      [unready.applicationId],
    );
    expect(await act(unready, 'retry-failed')).toEqual({ outcome: 'channel_not_ready' });

    for (const campaign of [nothing, unready]) expect(await statusOf(campaign)).toBe('completed');
  });
});
