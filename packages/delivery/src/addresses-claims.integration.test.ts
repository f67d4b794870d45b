import { afterAll, describe, expect, test } from '@jest/globals';
import { DEVICES_SENT_TO_MAX } from '@tidings/contracts/channels/device-channels';
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
import { releaseClaims, type ClaimedDelivery } from './claims.ts';
import { markSending, markGroupsSending } from './mark-sending.ts';
import { LEASE_MS } from './testing/controlled-campaigns.ts';
import { addressesOf } from './testing/addressed-campaigns.ts';

const db = connectTestDatabase({ poolMax: 6 });
afterAll(() => db.close());
const {
  claim,
  claimAndMarkSending,
  settle,
  countsOf,
  pushTo,
  shapesOf,
  dueNow,
  endLeases,
  marked,
} = addressesOf(db);

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
