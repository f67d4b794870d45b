import { afterAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase, createSendingCampaign } from '@tidings/testing';
import { markSending, markGroupsSending } from './mark-sending.ts';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { LEASE_MS } from './testing/controlled-campaigns.ts';
import { claimHelpers } from './testing/claimed-deliveries.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { claim, claimOne, endLeases, rowOf } = claimHelpers(db);

describe('mark', () => {
  test('lets each row be sent once, and counts the attempt', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await claimOne(campaign);

    const marked = await Promise.all([1, 2, 3, 4].map(() => markSending(db, [claimed], LEASE_MS)));

    expect(marked.filter((ids) => ids.size > 0)).toHaveLength(1);
    expect(await rowOf(campaign)).toMatchObject({ state: 'sending', attempts: 1, fence: 1 });
  });

  test('of several groups each gets its own, and a claim that two of them have is marked for the first', async () => {
    const [one, two] = [
      await createSendingCampaign(db, { count: 2 }),
      await createSendingCampaign(db),
    ];
    const [first, second] = await claim(one);
    const [other] = await claim(two);
    if (first === undefined || second === undefined || other === undefined)
      throw new Error('nothing to claim');

    expect(
      await markGroupsSending(db, [[first], [other, first], [second, second], []], LEASE_MS),
    ).toEqual([
      new Set([first.deliveryId]),
      new Set([other.deliveryId]),
      new Set([second.deliveryId]),
      new Set(),
    ]);
  });

  test('a claim that was taken over is not marked because its heir is in the same statement', async () => {
    const campaign = await createSendingCampaign(db);
    const zombie = await claimOne(campaign);
    await endLeases(campaign);
    const heir = await claimOne(campaign);

    expect(await markGroupsSending(db, [[zombie], [heir]], LEASE_MS)).toEqual([
      new Set(),
      new Set([heir.deliveryId]),
    ]);
  });

  test.each(['paused', 'canceled', 'completed', 'failed'])(
    'refuses rows of a campaign that was %s meanwhile',
    async (status) => {
      const campaign = await createSendingCampaign(db);
      const claimed = await claimOne(campaign);
      await db.sql.query('update campaigns set status = $2 where id = $1', [
        campaign.campaignId,
        status,
      ]);

      expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set());
      expect(await rowOf(campaign)).toMatchObject({ state: 'claimed', attempts: 0 });
    },
  );

  test('refuses rows of a campaign that expired meanwhile', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await claimOne(campaign);
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set());
  });

  test('rejects a claim whose lease ended, even if no other worker took it over', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await claimOne(campaign);
    await endLeases(campaign);

    expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set());
  });

  test('refuses a row that was never claimed', async () => {
    const campaign = await createSendingCampaign(db);
    const [delivery] = await listDeliveries(db, campaign.campaignId, { limit: 1 });

    expect(
      await markSending(db, [{ deliveryId: String(delivery?.deliveryId), fence: 0 }], LEASE_MS),
    ).toEqual(new Set());
  });
});
