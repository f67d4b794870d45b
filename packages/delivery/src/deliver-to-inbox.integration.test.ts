import { afterAll, describe, expect, test } from '@jest/globals';
import type { NewCampaign } from './accept.ts';
import { findOwnDeliveries } from './inbox.ts';
import { deliverToInbox } from './deliver-to-inbox.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { completeCampaigns } from './sweeps.ts';
import { createOwnDatabase, createSendingCampaign } from '@tidings/testing';
import { inboxHelpers, oneOf } from './testing/inbox-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 20 });
afterAll(() => db.close());
const { claim, createApplication, offered, device, fetchAs, act, countsOf, inboxOf } =
  inboxHelpers(db);

describe('delivery to the inbox', () => {
  test('a delivery waits, once, and its campaign completes with it', async () => {
    const campaign = await offered({ count: 3 });

    expect(await countsOf(campaign)).toMatchObject({
      total: 3,
      waiting: 3,
      pending: 0,
      sent: 0,
      successful: 0,
    });
    expect(await inboxOf(campaign)).toBe(3);
    expect(await claim(campaign)).toEqual([]);
    await completeCampaigns(db);
    expect((await readCampaign(db, campaign.applicationId, campaign.campaignId))?.status).toBe(
      'completed',
    );
  });

  test.each<[string, (campaign: NewCampaign) => Promise<unknown>]>([
    ['paused', (campaign) => act(campaign, 'pause')],
    ['canceled', (campaign) => act(campaign, 'cancel')],
    [
      'expired',
      ({ campaignId }) =>
        db.sql.query('update campaigns set expires_at = now() where id = $1', [campaignId]),
    ],
    [
      'claimed by another worker',
      ({ campaignId }) =>
        db.sql.query('update deliveries set fence = fence + 1 where campaign_id = $1', [
          campaignId,
        ]),
    ],
    [
      'of a user who is there no more',
      ({ applicationId }) =>
        db.sql.query('delete from users where application_id = $1', [applicationId]),
    ],
    [
      'past its lease',
      ({ campaignId }) =>
        db.sql.query('update deliveries set lease_until = now() where campaign_id = $1', [
          campaignId,
        ]),
    ],
  ])('is refused to what is %s', async (_what, happen) => {
    const campaign = await createSendingCampaign(db, {
      applicationId: await createApplication(),
      channel: 'IN_APP',
    });
    const claimed = await claim(campaign);
    await happen(campaign);

    expect(await deliverToInbox(db, claimed)).toEqual([]);
    expect(await inboxOf(campaign)).toBe(0);
    expect(await countsOf(campaign)).toMatchObject({ waiting: 0 });
  });

  test('by two workers with one claim is done once', async () => {
    const campaign = await createSendingCampaign(db, {
      applicationId: await createApplication(),
      channel: 'IN_APP',
      count: 20,
    });
    const claimed = await claim(campaign);

    const done = await Promise.all([
      deliverToInbox(db, claimed),
      deliverToInbox(db, claimed.toReversed()),
      deliverToInbox(db, claimed),
    ]);

    expect(done.flat()).toHaveLength(20);
    expect(await inboxOf(campaign)).toBe(20);
    expect(await countsOf(campaign)).toMatchObject({ waiting: 20, pending: 0 });
  });

  test('a test send is its user’s', async () => {
    const applicationId = await createApplication();
    await createSendingCampaign(db, { applicationId, recipients: ['ada'], channel: 'IN_APP' });
    const campaign = await createSendingCampaign(db, {
      applicationId,
      recipients: ['bob'],
      channel: 'IN_APP',
      source: 'test',
    });
    await db.sql.query(
      `update deliveries set test_address = 'ada', user_id = null where campaign_id = $1`,
      [campaign.campaignId],
    );
    await deliverToInbox(db, await claim(campaign));
    const ada = await device(applicationId, 'ada');

    const message = oneOf(await fetchAs(ada));

    expect(message.campaignId).toBe(campaign.campaignId);
    expect(await findOwnDeliveries(db, ada, [message.deliveryId])).toEqual(
      new Map([[message.deliveryId, { channel: 'IN_APP', state: 'waiting' }]]),
    );
    expect(
      await findOwnDeliveries(db, await device(applicationId, 'bob'), [message.deliveryId]),
    ).toEqual(new Map());
  });
});
