import { afterAll, describe, expect, test } from '@jest/globals';
import { expireInbox } from './sweeps.ts';
import { createOwnDatabase, recount } from '@tidings/testing';
import { inboxHelpers, oneOf } from './testing/inbox-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 20 });
afterAll(() => db.close());
const { offered, device, fetchAs, act, countsOf, inboxOf, shown, carryOut } = inboxHelpers(db);

describe('what waits', () => {
  test('is not given out while its campaign is paused', async () => {
    const campaign = await offered({ recipients: ['ada'] });
    const phone = await device(campaign.applicationId, 'ada');
    await act(campaign, 'pause');
    expect(await fetchAs(phone)).toEqual([]);

    await act(campaign, 'resume');
    expect(await fetchAs(phone)).toHaveLength(1);
  });

  test('is taken back by cancel', async () => {
    const campaign = await offered({ count: 3 });

    await act(campaign, 'cancel');

    expect([await inboxOf(campaign), await countsOf(campaign)]).toEqual([
      0,
      expect.objectContaining({ waiting: 0, canceled: 3 }),
    ]);
    expect(await recount(db, campaign.campaignId)).toEqual({
      groups: { canceled: 3 },
      failures: {},
    });
  });

  test('and has just been fetched is shown, or canceled when its lease ends', async () => {
    const campaign = await offered({ recipients: ['ada', 'bob'] });
    const { deliveryId } = oneOf(await fetchAs(await device(campaign.applicationId, 'ada')));
    const other = oneOf(await fetchAs(await device(campaign.applicationId, 'bob')));

    await act(campaign, 'cancel');
    expect(await countsOf(campaign)).toMatchObject({ waiting: 2, canceled: 0 });
    expect(await shown(deliveryId)).toEqual(['changed']);
    await db.sql.query(`update inbox set lease_until = now() where delivery_id = $1`, [
      other.deliveryId,
    ]);
    await carryOut();

    expect(await countsOf(campaign)).toMatchObject({ waiting: 0, displayed: 1, canceled: 1 });
    expect(await shown(other.deliveryId)).toEqual(['nothing_new']);
    expect(await inboxOf(campaign)).toBe(0);
  });

  test('expires with its message, not while it may be being shown; a receipt after that changes nothing', async () => {
    const campaign = await offered({ recipients: ['ada', 'bob'] });
    const { deliveryId } = oneOf(await fetchAs(await device(campaign.applicationId, 'ada')));
    await db.sql.query('update inbox set expires_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);

    await expireInbox(db);
    expect(await countsOf(campaign)).toMatchObject({ waiting: 1, expired: 1 });
    await db.sql.query('update inbox set lease_until = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    expect(await fetchAs(await device(campaign.applicationId, 'ada'))).toEqual([]);
    await expireInbox(db);

    expect([await inboxOf(campaign), await countsOf(campaign)]).toEqual([
      0,
      expect.objectContaining({ waiting: 0, expired: 2, displayed: 0 }),
    ]);
    expect(await shown(deliveryId)).toEqual(['nothing_new']);
  });

  test('ends in one state when fetched, canceled and expired at once', async () => {
    const campaign = await offered({ count: 12 });
    const { rows } = await db.sql.query<{ custom_user_id: string }>(
      'select custom_user_id from deliveries where campaign_id = $1',
      [campaign.campaignId],
    );
    const devices = [];
    for (const row of rows) devices.push(await device(campaign.applicationId, row.custom_user_id));
    await db.sql.query(
      `update inbox set expires_at = now() + interval '100 ms' where campaign_id = $1 and random() < 0.5`,
      [campaign.campaignId],
    );
    const given = new Set<string>();

    await Promise.all([
      ...devices.map(async (one) => {
        for (const { deliveryId } of await fetchAs(one)) {
          given.add(deliveryId);
          await shown(deliveryId);
        }
      }),
      expireInbox(db),
      act(campaign, 'cancel').then(carryOut),
      expireInbox(db),
    ]);
    await carryOut();
    await expireInbox(db);

    // Each message that a device received was displayed and is not canceled.
    expect(await inboxOf(campaign)).toBe(0);
    expect(await countsOf(campaign)).toMatchObject({
      waiting: 0,
      pending: 0,
      displayed: given.size,
      total: 12,
    });
  });
});
