import { afterAll, describe, expect, test } from '@jest/globals';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import {
  createOwnDatabase,
  createSendingApplication,
  createSendingCampaign,
  newCampaign,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { changeDeliveryStates } from './change-states.ts';
import { markSending } from './mark-sending.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { campaignsToExpand, completeCampaigns, expireCampaigns, ROWS_PER_SWEEP } from './sweeps.ts';
import { sweepHelpers, allRows } from './testing/swept-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const { report, expanded, claimAll } = sweepHelpers(db);

describe('a campaign past its expiry', () => {
  const expire = ({ campaignId }: NewCampaign) =>
    db.sql.query('update campaigns set expires_at = now() where id = $1', [campaignId]);

  test('expires unsent deliveries, and none that may have been sent', async () => {
    const campaign = await createSendingCampaign(db, { count: 5 });
    const [retried, sending, held, abandoned] = await claimAll(campaign);
    if (!retried || !sending || !held || !abandoned) throw new Error('not claimed');
    await markSending(db, [retried, sending], 60_000);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [
        {
          deliveryId: retried.deliveryId,
          fence: retried.fence,
          state: 'retry_wait',
          delayMs: 3_600_000,
        },
      ],
    );
    await db.sql.query(`update deliveries set lease_until = now() - interval '1 s' where id = $1`, [
      abandoned.deliveryId,
    ]);
    await db.sql.query(
      `update deliveries set state = 'pending', owner = null where campaign_id = $1 and state = 'claimed' and id <> all($2)`,
      [campaign.campaignId, [held.deliveryId, abandoned.deliveryId]],
    );

    await allRows(() => expireCampaigns(db));
    expect(await report(campaign)).toMatchObject({ counts: { pending: 5, expired: 0 } });
    await expire(campaign);
    await allRows(() => expireCampaigns(db));

    expect(await report(campaign)).toMatchObject({ counts: { total: 5, expired: 3, pending: 2 } });
    expect(
      (await listDeliveries(db, campaign.campaignId, { limit: 9 }))
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual(['claimed', 'expired', 'expired', 'expired', 'sending']);
  });

  test.each(['queued', 'paused'])('also when it is %s', async (status) => {
    const campaign = await createSendingCampaign(db);
    await db.sql.query('update campaigns set status = $2 where id = $1', [
      campaign.campaignId,
      status,
    ]);
    await expire(campaign);

    await allRows(() => expireCampaigns(db));

    expect(await report(campaign)).toMatchObject({ counts: { expired: 1, pending: 0 } });
  });

  test('is cleared in bounded steps, however large', async () => {
    const campaign = await createSendingCampaign(db, { count: ROWS_PER_SWEEP + 500 });
    await expire(campaign);

    expect(await expireCampaigns(db)).toBeLessThanOrEqual(ROWS_PER_SWEEP);
    await allRows(() => expireCampaigns(db));

    expect(await report(campaign)).toMatchObject({
      counts: { expired: ROWS_PER_SWEEP + 500, pending: 0 },
    });
  });
});

describe('a campaign is completed', () => {
  const settle = async (campaign: NewCampaign, states: readonly DeliveryState[]): Promise<void> => {
    const claimed = await claimAll(campaign);
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.map(({ deliveryId, fence }, index) => ({
        deliveryId,
        fence,
        state: states[index] ?? 'sent',
        ...(states[index] === 'failed' && { reason: 'no_address' as const }),
      })),
    );
  };

  test('when every delivery is settled or waits for its user, once, with its log entry', async () => {
    const campaign = await createSendingCampaign(db, { count: 6 });
    await settle(campaign, ['sent', 'failed', 'unknown', 'expired', 'canceled', 'waiting']);

    await completeCampaigns(db);
    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({
      status: 'completed',
      counts: {
        total: 6,
        pending: 0,
        successful: 1,
        failed: 1,
        unknown: 1,
        expired: 1,
        canceled: 1,
        waiting: 1,
      },
      timing: { completedAt: expect.any(Number), durationMs: expect.any(Number) },
    });
    const events = await listCampaignEvents(db, campaign.campaignId, { limit: 50 });
    expect(events.filter(({ type }) => type === 'campaign.completed')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('campaign.completed');
  });

  test.each(['pending', 'retry_wait'] as const)('not while one is %s', async (state) => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    await settle(campaign, ['sent', state]);

    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({ status: 'sending' });
  });

  test('not while recipients are left to expand', async () => {
    const campaign = await createSendingCampaign(db);
    await settle(campaign, ['sent']);
    await db.sql.query('update campaigns set expanded_at = null where id = $1', [
      campaign.campaignId,
    ]);

    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({ status: 'sending' });
  });

  test('with the times in which half and nineteen of twenty deliveries were sent', async () => {
    const campaign = await createSendingCampaign(db, { count: 100 });
    await settle(campaign, []);
    await db.sql.query(
      `update deliveries d set sent_at = c.created_at + n.n * interval '10 ms'
       from campaigns c, (select id, row_number() over (order by id) as n from deliveries where campaign_id = $1) n
       where c.id = $1 and n.id = d.id`,
      [campaign.campaignId],
    );

    await completeCampaigns(db);

    expect((await report(campaign))?.timing).toMatchObject({ p50Ms: 500, p95Ms: 950 });
  });

  test('without such times when nothing was sent', async () => {
    const campaign = await createSendingCampaign(db);
    await settle(campaign, ['failed']);

    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({
      status: 'completed',
      timing: { p50Ms: null, p95Ms: null, firstSentAt: null },
    });
  });
});

describe('campaigns without a queue record', () => {
  test('are found: those of the gateway after their record had its time, the others at once', async () => {
    const { applicationId } = await createSendingApplication(db);
    const fresh = newCampaign({ applicationId });
    const old = newCampaign({ applicationId, createdAt: Date.now() - 60_000 });
    const test = newCampaign({ applicationId, source: 'test' });
    const done = await expanded({ applicationId, source: 'test', recipients: ['x@example.org'] });
    for (const campaign of [fresh, old, test]) await acceptCampaign(db, campaign);

    const found = new Set(await campaignsToExpand(db, 30_000));

    expect([fresh, old, test, done].map(({ campaignId }) => found.has(campaignId))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
