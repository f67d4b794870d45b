import { afterAll, describe, expect, test } from '@jest/globals';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { connectTestDatabase, someDevices, untilBlockedBy } from '@tidings/testing';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import type { ClaimedDelivery } from './claims.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { addressesOf, refused } from './testing/addressed-campaigns.ts';

const db = connectTestDatabase({ poolMax: 6 });
afterAll(() => db.close());
const {
  claimAndMarkSending,
  settle,
  countsOf,
  typesOf,
  record,
  pushTo,
  deliveriesOf,
  shapesOf,
  marked,
  settled,
} = addressesOf(db);

describe('a delivery is the fold of its addresses', () => {
  test.each<[readonly DeliveryState[], DeliveryState]>([
    [['sent', 'failed', 'unknown'], 'sent'],
    [['failed', 'sent'], 'sent'],
    [['sent', 'retry_wait'], 'sent'],
    [['failed', 'retry_wait', 'unknown'], 'pending'],
    [['failed', 'unknown'], 'unknown'],
    [['failed', 'failed'], 'failed'],
    [['failed', 'canceled'], 'canceled'],
    [['expired', 'failed'], 'expired'],
    [['unknown', 'canceled', 'expired'], 'unknown'],
  ])('of %j it is %s, and the counters say so', async (states, expected) => {
    const campaign = await settled(states);

    expect(await shapesOf(campaign)).toEqual([[expected, states]]);
    expect(await countsOf(campaign)).toEqual({ [expected]: 1 });
  });

  test('it counts once and has one webhook, for any number of addresses', async () => {
    const campaign = await settled(['sent', 'sent', 'failed']);

    const types = (await typesOf(campaign)).filter((type) => /^(delivery|address)\./.test(type));
    expect(types).toEqual(['address.sent', 'delivery.sent', 'address.sent', 'address.failed']);
    expect((await record(campaign)).counts).toMatchObject({ total: 1, successful: 1 });
    expect((await deliveriesOf(campaign))[0]).toMatchObject({
      attempts: 3,
      sentAt: expect.any(Number),
    });
  });

  test('its reason and its provider’s words are those of the address that decides', async () => {
    const { campaign, sends } = await marked(2);
    const [first, second] = sends as [ClaimedDelivery, ClaimedDelivery];
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [
        { ...refused(first), providerCode: '400', providerMessage: 'no' },
        { ...refused(second), reason: 'payload_too_large', providerCode: '413' },
      ],
    );

    expect(await deliveriesOf(campaign)).toMatchObject([
      {
        status: 'failed',
        reason: 'provider_rejected',
        providerCode: '400',
        providerMessage: 'no',
        addresses: [
          { reason: 'provider_rejected' },
          { reason: 'payload_too_large', providerCode: '413', attempts: 1 },
        ],
      },
    ]);
    expect((await record(campaign)).failures).toEqual({ provider_rejected: 1 });
  });

  test('of two outcomes that are recorded at the same time the second folds what the first has done', async () => {
    const { campaign, sends } = await marked(2);
    const [first, second] = sends as [ClaimedDelivery, ClaimedDelivery];

    const { other } = await db.transaction(async (sql) => {
      await changeDeliveryStates(sql, ['sending'], [refused(first)]);
      const waiting = changeDeliveryStates(db.sql, ['sending'], [refused(second)]);
      await untilBlockedBy(db, sql);
      return { other: waiting };
    });

    expect((await other).size).toBe(1);
    expect(await shapesOf(campaign)).toEqual([['failed', ['failed', 'failed']]]);
    expect(await countsOf(campaign)).toEqual({ failed: 1 });
  });

  test('an outcome that comes late, by its fence, moves it from unknown to what it is', async () => {
    const { campaign, sends } = await marked(2);
    await settle(sends.slice(0, 1), 'failed');
    await settle(sends.slice(1), 'unknown');
    expect(await countsOf(campaign)).toEqual({ unknown: 1 });

    await settle(
      sends.slice(1).map((send) => ({ ...send, fence: 7 })),
      'sent',
    );
    expect(await countsOf(campaign)).toEqual({ unknown: 1 });
    await settle(sends.slice(1), 'sent');
    expect(await countsOf(campaign)).toEqual({ sent: 1 });
  });

  test('a device’s receipt stays, with any outcome of the other addresses', async () => {
    const { campaign, sends } = await marked(2);
    const [first, second] = sends as [ClaimedDelivery, ClaimedDelivery];
    await changeDeliveryStates(
      db.sql,
      ['pending', 'sent'],
      [{ deliveryId: first.deliveryId, fence: null, state: 'displayed' }],
    );

    await settle([first], 'sent');
    await settle([second], 'failed');

    expect(await shapesOf(campaign)).toEqual([['displayed', ['sent', 'failed']]]);
    expect((await record(campaign)).counts).toMatchObject({
      displayed: 1,
      sent: 1,
      pending: 0,
      failed: 0,
    });
  });
});

describe('a dead address', () => {
  const dead = (send: ClaimedDelivery): StateChange => ({
    ...refused(send),
    reason: 'subscription_gone',
    outcome: 'invalid_address',
    ...(send.device?.address != null && { address: send.device.address }),
  });
  const addressOf = async (send: ClaimedDelivery) =>
    (
      await db.sql.query<{ address: string | null; is_hashed: boolean }>(
        'select address, address_hash is not null as is_hashed from devices where device_id = $1',
        [send.device?.deviceId],
      )
    ).rows[0];

  test('is taken from its device in the statement that records it, and told', async () => {
    const { campaign, sends } = await marked(2);
    const [first, second] = sends as [ClaimedDelivery, ClaimedDelivery];

    await changeDeliveryStates(db.sql, ['sending'], [dead(first)]);

    expect(await addressOf(first)).toEqual({ address: null, is_hashed: false });
    expect(await addressOf(second)).toMatchObject({ address: second.device?.address });
    const told = (await listCampaignEvents(db, campaign.campaignId, { limit: 100 })).filter(
      ({ type }) => type === 'subscription.removed',
    );
    expect(told).toMatchObject([
      {
        deliveryId: first.deliveryId,
        addressNo: 0,
        status: 'removed',
        reason: 'subscription_gone',
      },
    ]);
    expect(await shapesOf(campaign)).toEqual([['pending', ['failed', 'sending']]]);
  });

  test('a device that has a new address keeps it, and no webhook is sent', async () => {
    const { campaign, sends } = await marked(1);
    const [send] = sends as [ClaimedDelivery];
    await db.sql.query(`update devices set address = 'another' where device_id = $1`, [
      send.device?.deviceId,
    ]);

    await changeDeliveryStates(db.sql, ['sending'], [dead(send)]);

    expect(await addressOf(send)).toMatchObject({ address: 'another' });
    expect(await typesOf(campaign)).not.toContain('subscription.removed');
  });

  test('sends one webhook for a device that two campaigns found invalid at once', async () => {
    const devices = someDevices(1);
    const campaign = await pushTo(devices);
    const [first] = await claimAndMarkSending(campaign, 1);
    if (first === undefined) throw new Error('not marked');
    const other = await pushTo(someDevices(1), { applicationId: campaign.applicationId });
    const [second] = await claimAndMarkSending(other, 1);
    if (second === undefined) throw new Error('not marked');
    await db.sql.query('update deliveries set device_id = $2 where id = $1', [
      second.deliveryId,
      first.device?.deviceId,
    ]);

    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [
        dead(first),
        {
          ...dead(second),
          ...(first.device?.address != null && { address: first.device.address }),
        },
      ],
    );

    const types = [...(await typesOf(campaign)), ...(await typesOf(other))];
    expect(types.filter((type) => type === 'subscription.removed')).toHaveLength(1);
  });

  test('of a user who has one only is taken as well, and the delivery has failed', async () => {
    const { campaign, sends } = await marked(1);
    const [send] = sends as [ClaimedDelivery];

    await changeDeliveryStates(db.sql, ['sending'], [dead(send)]);

    expect(await addressOf(send)).toEqual({ address: null, is_hashed: false });
    expect(
      (await typesOf(campaign))
        .filter((type) => /^(delivery|address|subscription)\./.test(type))
        .toSorted(),
    ).toEqual(['delivery.failed', 'subscription.removed']);
    expect(await shapesOf(campaign)).toEqual([['failed', ['failed']]]);
    expect((await record(campaign)).failures).toEqual({ subscription_gone: 1 });
  });

  test('of an outcome that changed nothing stays', async () => {
    const { sends } = await marked(1);
    const [send] = sends as [ClaimedDelivery];

    await changeDeliveryStates(db.sql, ['sending'], [{ ...dead(send), fence: send.fence + 1 }]);

    expect(await addressOf(send)).toMatchObject({ address: send.device?.address });
  });
});
