import { afterAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase, giveDevices, someDevices } from '@tidings/testing';
import { changeDeliveryStates, targetOf } from './change-states.ts';
import { releaseClaims, type ClaimedDelivery } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { LEASE_MS } from './testing/controlled-campaigns.ts';
import { addressesOf, refused } from './testing/addressed-campaigns.ts';

const db = connectTestDatabase({ poolMax: 6 });
afterAll(() => db.close());
const {
  claim,
  claimAndMarkSending,
  settle,
  countsOf,
  typesOf,
  pushTo,
  deliveriesOf,
  shapesOf,
  dueNow,
  marked,
} = addressesOf(db);

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
