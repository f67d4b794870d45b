import { afterAll, describe, expect, test } from '@jest/globals';
import { DEVICES_SENT_TO_MAX, type DeliveryState } from '@tidings/contracts';
import { registerDevice } from '@tidings/people/devices/device-users';
import { resolveIdentities } from '@tidings/people/identities';
import { systemClock } from '@tidings/platform';
import {
  connectTestDatabase,
  eventually,
  giveDevices,
  ingestRecord,
  someDevices,
  untilBlockedBy,
} from '@tidings/testing';
import { changeDeliveryStates, targetOf, type StateChange } from './change-states.ts';
import { markSending, markGroupsSending, releaseClaims, type ClaimedDelivery } from './claims.ts';
import { listCampaignEvents } from './list-campaign-events.ts';
import { addressesOf } from './testing/addressed-campaigns.ts';
import { LEASE_MS } from './testing/controlled-campaigns.ts';

const db = connectTestDatabase({ poolMax: 6 });
afterAll(() => db.close());
const {
  claim,
  claimAndMarkSending,
  settle,
  countsOf,
  typesOf,
  record,
  pushTo,
  deliveriesOf,
  shapesOf,
  dueNow,
  endLeases,
  marked,
  settled,
} = addressesOf(db);
const refused = (delivery: ClaimedDelivery): StateChange => ({
  ...targetOf(delivery),
  fence: delivery.fence,
  state: 'failed',
  reason: 'provider_rejected',
});

describe('deliveries and addresses are marked together', () => {
  test('all or none', async () => {
    const campaign = await pushTo(someDevices(2, 1));
    const [address, other, whole] = (await claim(campaign)) as [
      ClaimedDelivery,
      ClaimedDelivery,
      ClaimedDelivery,
    ];

    await expect(
      markGroupsSending(db, [[whole], [address, { ...other, addressNo: 70_000 }]], LEASE_MS),
    ).rejects.toThrow('out of range');
    expect(await shapesOf(campaign)).toEqual([
      ['pending', ['claimed', 'claimed']],
      ['claimed', ['claimed']],
    ]);

    expect(
      (await markGroupsSending(db, [[whole], [address, other]], LEASE_MS)).map(({ size }) => size),
    ).toEqual([1, 2]);
    expect(await shapesOf(campaign)).toEqual([
      ['pending', ['sending', 'sending']],
      ['sending', ['sending']],
    ]);
  });

  test('their chunk is locked after both, as wherever else they are locked', async () => {
    const campaign = await pushTo(someDevices(2, 1));
    const [address, other, whole] = (await claim(campaign)) as [
      ClaimedDelivery,
      ClaimedDelivery,
      ClaimedDelivery,
    ];

    const { marking } = await db.transaction(async (sql) => {
      await sql.query('select from delivery_addresses where delivery_id = $1 for update', [
        address.deliveryId,
      ]);
      const waiting = markGroupsSending(db, [[whole], [address, other]], LEASE_MS);
      await untilBlockedBy(db, sql);
      await sql.query(`set local lock_timeout = '1ms'`);
      await sql.query('select from campaign_chunks where campaign_id = $1 for update', [
        campaign.campaignId,
      ]);
      return { marking: waiting };
    });

    expect((await marking).map(({ size }) => size)).toEqual([1, 2]);
    const { rows } = await db.sql.query(
      `select k.leased_until = (select min(lease_until) from (select lease_until from deliveries where campaign_id = $1 union all select lease_until from delivery_addresses where campaign_id = $1) l) as is_noted
       from campaign_chunks k where k.campaign_id = $1`,
      [campaign.campaignId],
    );
    expect(rows).toEqual([{ is_noted: true }]);
  });
});

describe('the first claim', () => {
  test('gives a row for each device, the one seen last first, with where it is reached now; of a user with one the delivery', async () => {
    const devices = someDevices(3, 1);
    const campaign = await pushTo(devices);

    const claimed = await claim(campaign);

    const expected = Object.entries(devices).flatMap(([user, addresses]) =>
      addresses.map((address, no) => [
        user,
        addresses.length === 1 ? undefined : no,
        `device of ${address}`,
        address,
        1,
      ]),
    );
    expect(
      claimed.map(({ customUserId, addressNo, device, fence }) => [
        customUserId,
        addressNo,
        device?.deviceId,
        device?.address,
        fence,
      ]),
    ).toEqual(expected);
    expect(await claim(campaign)).toEqual([]);
    expect(await countsOf(campaign)).toEqual({ pending: 2 });
  });

  test('claims the delivery without a device if the user has none, none of the kind, or none that can be reached', async () => {
    const [none, other, gone] = Object.keys(someDevices(0, 0, 0)) as [string, string, string];
    const campaign = await pushTo({ [none]: [], [other]: [], [gone]: [`gone-${gone}`] });
    await giveDevices(db, {
      applicationId: campaign.applicationId,
      devices: { [other]: [`app-${other}`] },
      channel: 'APP_PUSH',
    });
    await db.sql.query(
      'update devices set address = null, address_hash = null where address = $1',
      [`gone-${gone}`],
    );

    const claimed = await claim(campaign);

    expect(claimed.map(({ device }) => device)).toEqual(
      [none, other, gone].map(() => ({ deviceId: null, address: null })),
    );
    expect(await shapesOf(campaign)).toEqual([none, other, gone].map(() => ['claimed', []]));
  });

  test('takes the devices seen last, up to the maximum', async () => {
    const campaign = await pushTo(someDevices(DEVICES_SENT_TO_MAX + 3));

    const claimed = await claim(campaign);

    expect(claimed.map(({ device }) => Number(device?.address?.split('-').at(-1)))).toEqual(
      Array.from({ length: DEVICES_SENT_TO_MAX }, (_, index) => index),
    );
  });

  test('a user with more devices than are sent to takes no more of a claim than those', async () => {
    const campaign = await pushTo(someDevices(DEVICES_SENT_TO_MAX * 2 + 5, 1));

    expect(await claim(campaign, { rowsMax: DEVICES_SENT_TO_MAX * 2 })).toHaveLength(
      DEVICES_SENT_TO_MAX + 1,
    );
  });

  test('takes the devices that proved the user, and none that was only joined to them', async () => {
    const [user] = Object.keys(someDevices(1)) as [string];
    const campaign = await pushTo({ [user]: [] });
    const { applicationId } = campaign;
    const register = (deviceId: string, customUserId: string | null) =>
      registerDevice(db, systemClock, {
        applicationId,
        deviceId,
        customUserId,
        facts: {
          kind: 'web_push',
          address: { text: `${deviceId} ${user}`, identity: `${deviceId} ${user}` },
        },
      });
    await register('proved', user);
    const { serviceUserId } = await register('joined', null);

    const joined = ingestRecord({
      applicationId,
      keyType: 'server',
      customUserId: user,
      serviceUserId,
    });
    expect(
      (await db.transaction((sql) => resolveIdentities(sql, [joined]))).get(joined.requestId),
    ).toMatchObject({ isProved: true });

    expect((await claim(campaign)).map(({ device }) => device?.address)).toEqual([
      `proved ${user}`,
    ]);
  });

  test('gives little more than it is asked for, and deliveries whole', async () => {
    const campaign = await pushTo(someDevices(3, 3, 3, 3));

    const first = await claim(campaign, { rowsMax: 4 });
    const second = await claim(campaign, { rowsMax: 4 });

    expect([first.length, second.length, (await claim(campaign)).length]).toEqual([6, 6, 0]);
    expect(
      new Set(
        [...first, ...second].map(({ deliveryId, addressNo }) => `${deliveryId}/${addressNo}`),
      ).size,
    ).toBe(12);
  });

  test('by two workers at the same time gives each address to one of them', async () => {
    const campaign = await pushTo(someDevices(2, 2, 2, 2, 2, 2));

    const claimed = (await Promise.all([claim(campaign), claim(campaign), claim(campaign)])).flat();

    await eventually(async () => {
      claimed.push(...(await claim(campaign)));
      expect(claimed).toHaveLength(12);
    });
    expect(
      new Set(claimed.map(({ deliveryId, addressNo }) => `${deliveryId}/${addressNo}`)).size,
    ).toBe(12);
  });
});

describe('each address has a claim of its own', () => {
  test('a claim taken over is not marked; the other address of the delivery is', async () => {
    const campaign = await pushTo(someDevices(2));
    const [first, second] = await claim(campaign);
    if (!first || !second) throw new Error('not claimed');
    await db.sql.query(
      'update delivery_addresses set lease_until = now() where delivery_id = $1 and address_no = 0',
      [first.deliveryId],
    );

    const [again] = await claim(campaign);

    expect(again).toMatchObject({ addressNo: 0, fence: 2 });
    expect([...(await markSending(db, [first, second], LEASE_MS))]).toEqual([
      `${second.deliveryId}/1`,
    ]);
    await settle([first], 'sent');
    expect(await shapesOf(campaign)).toEqual([['pending', ['claimed', 'sending']]]);
  });

  test('a possibly sent row is never claimed, however long ago its lease ended', async () => {
    const { campaign } = await marked(2);
    await endLeases(campaign);

    expect(await claim(campaign)).toEqual([]);
  });

  test('a retry touches only the addresses that are not settled', async () => {
    const { campaign, sends } = await marked(3);
    const [first, second, third] = sends as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
    await settle([first], 'sent');
    await settle([second], 'failed');
    await settle([third], 'retry_wait');
    await dueNow(campaign);

    const again = await claimAndMarkSending(campaign, 200);

    expect(again.map(({ addressNo, attempts, fence }) => [addressNo, attempts, fence])).toEqual([
      [2, 1, 2],
    ]);
  });

  test('what is given back is due when it is said to be', async () => {
    const campaign = await pushTo(someDevices(2));
    const [first, second] = (await claim(campaign)) as [ClaimedDelivery, ClaimedDelivery];

    await releaseClaims(db, [first, second], [0, 60_000]);

    expect((await claim(campaign)).map(({ addressNo }) => addressNo)).toEqual([0]);
  });

  test('a device that has another token since is reached by it; one that is another user’s is not', async () => {
    const { campaign, sends } = await marked(2);
    await settle(sends, 'retry_wait');
    await dueNow(campaign);
    const [first, second] = sends.map(({ device }) => device?.deviceId);
    await db.sql.query(`update devices set address = 'new ' || address where device_id = $1`, [
      first,
    ]);
    await db.sql.query('update devices set proved_user_id = uuidv7() where device_id = $1', [
      second,
    ]);

    expect((await claim(campaign)).map(({ device }) => device)).toEqual([
      { deviceId: first, address: `new ${sends[0]?.device?.address}` },
      { deviceId: second, address: null },
    ]);
  });
});

describe('a delivery to one device', () => {
  test('has no rows but its own, and its attempts and its outcome are the device’s', async () => {
    const { campaign, sends } = await marked(1);
    await settle(sends, 'retry_wait');
    await dueNow(campaign);
    await settle(await claimAndMarkSending(campaign, 10), 'sent');

    const { rowCount } = await db.sql.query(
      'select from delivery_addresses where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rowCount).toBe(0);
    expect((await typesOf(campaign)).filter((type) => /^(delivery|address)\./.test(type))).toEqual([
      'delivery.retry_wait',
      'delivery.sent',
    ]);
    expect(await deliveriesOf(campaign)).toMatchObject([
      {
        status: 'sent',
        attempts: 2,
        addresses: [
          {
            addressNo: 0,
            deviceRef: expect.any(String),
            status: 'sent',
            attempts: 2,
            sentAt: expect.any(Number),
          },
        ],
      },
    ]);
  });

  test('stays with the device that it began with: another one that comes gets nothing, and one that goes is not replaced', async () => {
    const { campaign, sends } = await marked(1);
    const [send] = sends as [ClaimedDelivery];
    await settle(sends, 'retry_wait');
    await giveDevices(db, {
      applicationId: campaign.applicationId,
      devices: { [send.customUserId]: [`new ${send.customUserId}`] },
    });
    await dueNow(campaign);

    const again = await claim(campaign);
    expect(again.map(({ addressNo, device, fence }) => [addressNo, device, fence])).toEqual([
      [undefined, send.device, 2],
    ]);

    await releaseClaims(db, again, 0);
    await db.sql.query(
      'update devices set address = null, address_hash = null where device_id = $1',
      [send.device?.deviceId],
    );
    expect((await claim(campaign)).map(({ device }) => device)).toEqual([
      { deviceId: send.device?.deviceId, address: null },
    ]);
  });

  test('is claimed, marked and given back beside addresses of others', async () => {
    const campaign = await pushTo(someDevices(1, 2));

    const [one, ...several] = (await claim(campaign)) as [ClaimedDelivery, ...ClaimedDelivery[]];

    expect([one.addressNo, ...several.map(({ addressNo }) => addressNo)]).toEqual([
      undefined,
      0,
      1,
    ]);
    expect([...(await markSending(db, [...several.slice(1), one], LEASE_MS))].toSorted()).toEqual(
      [one.deliveryId, `${several[1]?.deliveryId}/1`].toSorted(),
    );
    await releaseClaims(db, several.slice(0, 1), 60_000);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [
        { ...targetOf(one), fence: one.fence, state: 'sent' },
        refused(several[1] as ClaimedDelivery),
      ],
    );
    expect(await shapesOf(campaign)).toEqual([
      ['sent', ['sent']],
      ['pending', ['pending', 'failed']],
    ]);
    expect(await countsOf(campaign)).toEqual({ sent: 1, pending: 1 });
  });

  test('goes to both devices if the second was added before it started', async () => {
    const campaign = await pushTo(someDevices(0));
    const [none] = (await claim(campaign)) as [ClaimedDelivery];
    await releaseClaims(db, [none], 0);
    await giveDevices(db, {
      applicationId: campaign.applicationId,
      devices: { [none.customUserId]: [`a ${none.customUserId}`, `b ${none.customUserId}`] },
    });

    expect((await claim(campaign)).map(({ addressNo, fence }) => [addressNo, fence])).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });
});

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
