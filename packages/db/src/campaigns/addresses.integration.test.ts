import { afterAll, describe, expect, test } from '@jest/globals';
import { DEVICES_SENT_TO_MAX, type DeliveryState } from '@tidings/contracts';
import { createOwnDatabase, createPushCampaign, eventually, giveDevices, registerUsers, someDevices, untilBlockedBy, type DevicesOfUsers } from '@tidings/testing';
import type { NewCampaign } from './accept.ts';
import { changeDeliveryStates } from './change-states.ts';
import { armDeliveries, releaseClaims, type ClaimedDelivery } from './claims.ts';
import { takeChunks } from './chunks.ts';
import { listCampaignEvents } from './list-campaign-events.ts';
import { listDeliveries, type DeliveryRecord } from './list-deliveries.ts';
import { unitOf } from './send-unit.ts';
import type { StateChange } from './state-change.ts';
import { completeCampaigns, expireCampaigns, expireSendingLeases } from './sweeps.ts';
import { LEASE_MS, controlOf } from './testing/controlled-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 6 });
afterAll(() => db.close());
const { act, claim, claimAndArm, settle, pass, countsOf, statusOf, typesOf, record } = controlOf(db, 'WEB_PUSH');

const pushTo = (devices: DevicesOfUsers, overrides: Partial<NewCampaign> = {}) => createPushCampaign(db, { devices, ...overrides });
const deliveriesOf = ({ campaignId }: NewCampaign) => listDeliveries(db, campaignId, { limit: 500 });
const shape = ({ status, addresses = [] }: DeliveryRecord) => [status, addresses.map((address) => address.status)];
const shapesOf = async (campaign: NewCampaign) => (await deliveriesOf(campaign)).map(shape);
const refused = (delivery: ClaimedDelivery): StateChange => ({ ...unitOf(delivery), fence: delivery.fence, state: 'failed', reason: 'provider_rejected' });
const dueNow = ({ campaignId }: NewCampaign) => db.sql.query('update delivery_addresses set next_at = now() where campaign_id = $1', [campaignId]);
const endLeases = ({ campaignId }: NewCampaign) =>
  Promise.all([
    db.sql.query(`update delivery_addresses set lease_until = now() - interval '1 ms' where campaign_id = $1 and lease_until is not null`, [campaignId]),
    db.sql.query(`update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1 and leased_until is not null`, [campaignId]),
  ]);

/** A campaign to one user, each of whose addresses has been armed. */
async function armed(devices: number, overrides: Partial<NewCampaign> = {}): Promise<{ readonly campaign: NewCampaign; readonly sends: readonly ClaimedDelivery[] }> {
  const campaign = await pushTo(someDevices(devices), overrides);
  return { campaign, sends: await claimAndArm(campaign, 200) };
}

/** One state for each address, recorded one by one in this order. */
async function settled(states: readonly DeliveryState[], overrides: Partial<NewCampaign> = {}): Promise<NewCampaign> {
  const { campaign, sends } = await armed(states.length, overrides);
  for (const [index, state] of states.entries()) await settle(sends.slice(index, index + 1), state);
  return campaign;
}

describe('the first claim', () => {
  test('gives a row for each device, the one seen last first, with where it is reached now', async () => {
    const devices = someDevices(3, 1);
    const campaign = await pushTo(devices);

    const claimed = await claim(campaign);

    const expected = Object.entries(devices).flatMap(([user, addresses]) => addresses.map((address, addressNo) => [user, addressNo, `device of ${address}`, address, 1]));
    expect(claimed.map(({ customUserId, addressNo, device, fence }) => [customUserId, addressNo, device?.deviceId, device?.address, fence])).toEqual(expected);
    expect(await claim(campaign)).toEqual([]);
    expect(await countsOf(campaign)).toEqual({ pending: 2 });
  });

  test('gives a row for nobody where a user has no device, or none of the kind, or none that can be reached', async () => {
    const [none, other, gone] = Object.keys(someDevices(0, 0, 0)) as [string, string, string];
    const campaign = await pushTo({ [none]: [], [other]: [], [gone]: [`gone-${gone}`] });
    await giveDevices(db, { applicationId: campaign.applicationId, devices: { [other]: [`app-${other}`] }, channel: 'APP_PUSH' });
    await db.sql.query('update devices set address = null, address_hash = null where address = $1', [`gone-${gone}`]);

    const claimed = await claim(campaign);

    expect(claimed.map(({ device }) => device)).toEqual([none, other, gone].map(() => ({ deviceId: null, address: null })));
    expect(await shapesOf(campaign)).toEqual([none, other, gone].map(() => ['pending', []]));
  });

  test('takes the devices that were seen last, so many at most', async () => {
    const campaign = await pushTo(someDevices(DEVICES_SENT_TO_MAX + 3));

    const claimed = await claim(campaign);

    expect(claimed.map(({ device }) => Number(device?.address?.split('-').at(-1)))).toEqual(Array.from({ length: DEVICES_SENT_TO_MAX }, (_, index) => index));
  });

  test('takes the devices of the anonymous users that a user turned out to be', async () => {
    const [user] = Object.keys(someDevices(1)) as [string];
    const campaign = await pushTo({ [user]: [] });
    await registerUsers(db, campaign.applicationId, [`anonymous ${user}`]);
    await giveDevices(db, { applicationId: campaign.applicationId, devices: { [`anonymous ${user}`]: [`phone ${user}`] } });
    await db.sql.query(
      `update users set custom_user_id = null, registered_at = null, merged_into = (select id from users where application_id = $1 and custom_user_id = $2)
       where application_id = $1 and custom_user_id = $3`,
      [campaign.applicationId, user, `anonymous ${user}`],
    );

    expect((await claim(campaign)).map(({ device }) => device?.address)).toEqual([`phone ${user}`]);
  });

  test('gives little more than it is asked for, and deliveries whole', async () => {
    const campaign = await pushTo(someDevices(3, 3, 3, 3));

    const first = await claim(campaign, { rowsMax: 4 });
    const second = await claim(campaign, { rowsMax: 4 });

    expect([first.length, second.length, (await claim(campaign)).length]).toEqual([6, 6, 0]);
    expect(new Set([...first, ...second].map(({ deliveryId, addressNo }) => `${deliveryId}/${addressNo}`)).size).toBe(12);
  });

  test('by two workers at the same time gives each address to one of them', async () => {
    const campaign = await pushTo(someDevices(2, 2, 2, 2, 2, 2));

    const claimed = (await Promise.all([claim(campaign), claim(campaign), claim(campaign)])).flat();

    await eventually(async () => {
      claimed.push(...(await claim(campaign)));
      expect(claimed).toHaveLength(12);
    });
    expect(new Set(claimed.map(({ deliveryId, addressNo }) => `${deliveryId}/${addressNo}`)).size).toBe(12);
  });
});

describe('each address has a claim of its own', () => {
  test('a claim taken over is not armed; the other address of the delivery is', async () => {
    const campaign = await pushTo(someDevices(2));
    const [first, second] = await claim(campaign);
    if (!first || !second) throw new Error('not claimed');
    await db.sql.query('update delivery_addresses set lease_until = now() where delivery_id = $1 and address_no = 0', [first.deliveryId]);

    const [again] = await claim(campaign);

    expect(again).toMatchObject({ addressNo: 0, fence: 2 });
    expect([...(await armDeliveries(db, [first, second], LEASE_MS))]).toEqual([`${second.deliveryId}/1`]);
    await settle([first], 'sent');
    expect(await shapesOf(campaign)).toEqual([['pending', ['claimed', 'sending']]]);
  });

  test('what may have been sent is claimed by nobody, however long ago its lease ended', async () => {
    const { campaign } = await armed(2);
    await endLeases(campaign);

    expect(await claim(campaign)).toEqual([]);
  });

  test('a retry touches only the addresses that are not settled', async () => {
    const { campaign, sends } = await armed(3);
    const [first, second, third] = sends as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
    await settle([first], 'sent');
    await settle([second], 'failed');
    await settle([third], 'retry_wait');
    await dueNow(campaign);

    const again = await claimAndArm(campaign, 200);

    expect(again.map(({ addressNo, attempts, fence }) => [addressNo, attempts, fence])).toEqual([[2, 1, 2]]);
  });

  test('what is given back is due when it is said to be', async () => {
    const campaign = await pushTo(someDevices(2));
    const [first, second] = (await claim(campaign)) as [ClaimedDelivery, ClaimedDelivery];

    await releaseClaims(db, [first, second], [0, 60_000]);

    expect((await claim(campaign)).map(({ addressNo }) => addressNo)).toEqual([0]);
  });

  test('a device that has another token since is reached by it; one that is another user’s is not', async () => {
    const { campaign, sends } = await armed(2);
    await settle(sends, 'retry_wait');
    await dueNow(campaign);
    const [first, second] = sends.map(({ device }) => device?.deviceId);
    await db.sql.query(`update devices set address = 'new ' || address where device_id = $1`, [first]);
    await db.sql.query('update devices set user_id = uuidv7() where device_id = $1', [second]);

    expect((await claim(campaign)).map(({ device }) => device)).toEqual([
      { deviceId: first, address: `new ${sends[0]?.device?.address}` },
      { deviceId: second, address: null },
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

  test('it counts once and is told once, however many addresses it was sent to', async () => {
    const campaign = await settled(['sent', 'sent', 'failed']);

    const types = (await typesOf(campaign)).filter((type) => /^(delivery|address)\./.test(type));
    expect(types).toEqual(['address.sent', 'delivery.sent', 'address.sent', 'address.failed']);
    expect((await record(campaign)).counts).toMatchObject({ total: 1, successful: 1 });
    expect((await deliveriesOf(campaign))[0]).toMatchObject({ attempts: 3, sentAt: expect.any(Number) });
  });

  test('its reason and its provider’s words are those of the address that decides', async () => {
    const { campaign, sends } = await armed(2);
    const [first, second] = sends as [ClaimedDelivery, ClaimedDelivery];
    await changeDeliveryStates(db.sql, ['sending'], [{ ...refused(first), providerCode: '400', providerMessage: 'no' }, { ...refused(second), reason: 'payload_too_large', providerCode: '413' }]);

    expect(await deliveriesOf(campaign)).toMatchObject([
      { status: 'failed', reason: 'provider_rejected', providerCode: '400', providerMessage: 'no', addresses: [{ reason: 'provider_rejected' }, { reason: 'payload_too_large', providerCode: '413', attempts: 1 }] },
    ]);
    expect((await record(campaign)).failures).toEqual({ provider_rejected: 1 });
  });

  test('of two outcomes that are recorded at the same time the second folds what the first has done', async () => {
    const { campaign, sends } = await armed(2);
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
    const { campaign, sends } = await armed(2);
    await settle(sends.slice(0, 1), 'failed');
    await settle(sends.slice(1), 'unknown');
    expect(await countsOf(campaign)).toEqual({ unknown: 1 });

    await settle(sends.slice(1).map((send) => ({ ...send, fence: 7 })), 'sent');
    expect(await countsOf(campaign)).toEqual({ unknown: 1 });
    await settle(sends.slice(1), 'sent');
    expect(await countsOf(campaign)).toEqual({ sent: 1 });
  });

  test('what a device told of the message stays, whatever becomes of the other addresses', async () => {
    const { campaign, sends } = await armed(2);
    const [first, second] = sends as [ClaimedDelivery, ClaimedDelivery];
    await changeDeliveryStates(db.sql, ['pending', 'sent'], [{ deliveryId: first.deliveryId, fence: null, state: 'displayed' }]);

    await settle([first], 'sent');
    await settle([second], 'failed');

    expect(await shapesOf(campaign)).toEqual([['displayed', ['sent', 'failed']]]);
    expect((await record(campaign)).counts).toMatchObject({ displayed: 1, sent: 1, pending: 0, failed: 0 });
  });
});

describe('a dead address', () => {
  const dead = (send: ClaimedDelivery): StateChange => ({ ...refused(send), reason: 'subscription_gone', outcome: 'invalid_address', ...(send.device?.address != null && { address: send.device.address }) });
  const addressOf = async (send: ClaimedDelivery) =>
    (await db.sql.query<{ address: string | null; is_hashed: boolean }>('select address, address_hash is not null as is_hashed from devices where device_id = $1', [send.device?.deviceId])).rows[0];

  test('is taken from its device in the statement that records it, and told', async () => {
    const { campaign, sends } = await armed(2);
    const [first, second] = sends as [ClaimedDelivery, ClaimedDelivery];

    await changeDeliveryStates(db.sql, ['sending'], [dead(first)]);

    expect(await addressOf(first)).toEqual({ address: null, is_hashed: false });
    expect(await addressOf(second)).toMatchObject({ address: second.device?.address });
    const told = (await listCampaignEvents(db, campaign.campaignId, { limit: 100 })).filter(({ type }) => type === 'subscription.removed');
    expect(told).toMatchObject([{ deliveryId: first.deliveryId, addressNo: 0, status: 'removed', reason: 'subscription_gone' }]);
    expect(await shapesOf(campaign)).toEqual([['pending', ['failed', 'sending']]]);
  });

  test('stays with a device that has another one by now, and nothing is told', async () => {
    const { campaign, sends } = await armed(1);
    const [send] = sends as [ClaimedDelivery];
    await db.sql.query(`update devices set address = 'another' where device_id = $1`, [send.device?.deviceId]);

    await changeDeliveryStates(db.sql, ['sending'], [dead(send)]);

    expect(await addressOf(send)).toMatchObject({ address: 'another' });
    expect(await typesOf(campaign)).not.toContain('subscription.removed');
  });

  test('is told once of a device that two campaigns found dead at the same time', async () => {
    const devices = someDevices(1);
    const campaign = await pushTo(devices);
    const [first] = await claimAndArm(campaign, 1);
    if (first === undefined) throw new Error('not armed');
    const other = await pushTo(someDevices(1), { applicationId: campaign.applicationId });
    const [second] = await claimAndArm(other, 1);
    if (second === undefined) throw new Error('not armed');
    await db.sql.query('update delivery_addresses set device_id = $2 where delivery_id = $1', [second.deliveryId, first.device?.deviceId]);

    await changeDeliveryStates(db.sql, ['sending'], [dead(first), { ...dead(second), ...(first.device?.address != null && { address: first.device.address }) }]);

    const types = [...(await typesOf(campaign)), ...(await typesOf(other))];
    expect(types.filter((type) => type === 'subscription.removed')).toHaveLength(1);
  });

  test('of an outcome that changed nothing stays', async () => {
    const { sends } = await armed(1);
    const [send] = sends as [ClaimedDelivery];

    await changeDeliveryStates(db.sql, ['sending'], [{ ...dead(send), fence: send.fence + 1 }]);

    expect(await addressOf(send)).toMatchObject({ address: send.device?.address });
  });
});

describe('sweeps and actions', () => {
  test('a send whose worker is gone is due again, that address alone, since a repeat does no harm', async () => {
    const { campaign, sends } = await armed(2);
    await settle(sends.slice(0, 1), 'sent');
    await endLeases(campaign);

    await expireSendingLeases(db);

    expect(await shapesOf(campaign)).toEqual([['sent', ['sent', 'retry_wait']]]);
    expect((await claim(campaign)).map(({ addressNo, doubts }) => [addressNo, doubts])).toEqual([[1, 1]]);
  });

  test('where the application does not want that it is unknown', async () => {
    const { campaign } = await armed(2);
    await db.sql.query(`update applications set settings = '{"resendOnUnknown": {"WEB_PUSH": false}}' where id = $1`, [campaign.applicationId]);
    await endLeases(campaign);

    await expireSendingLeases(db);

    expect(await shapesOf(campaign)).toEqual([['unknown', ['unknown', 'unknown']]]);
  });

  test('a lease that has not ended keeps its chunk among those that are looked at', async () => {
    const { campaign } = await armed(2);
    await db.sql.query(`update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1`, [campaign.campaignId]);

    expect(await expireSendingLeases(db)).toBe(0);

    const { rows } = await db.sql.query<{ is_later: boolean }>('select leased_until > now() as is_later from campaign_chunks where campaign_id = $1', [campaign.campaignId]);
    expect(rows).toEqual([{ is_later: true }]);
  });

  test('an address that is yet to be tried again keeps its chunk due and its campaign at work, though the delivery is sent', async () => {
    const campaign = await settled(['sent', 'retry_wait']);
    const chunk = { campaignId: campaign.campaignId, chunkNo: 0 };
    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [campaign.campaignId]);

    expect(await takeChunks(db, [chunk], 1_000)).toMatchObject([chunk]);
    await completeCampaigns(db);
    expect(await statusOf(campaign)).toBe('sending');

    await settle(await claimAndArm(campaign, 2), 'failed');
    await completeCampaigns(db);
    expect(await statusOf(campaign)).toBe('completed');
    expect(await countsOf(campaign)).toEqual({ sent: 1 });
  });

  test('expiry ends what was not handed over, address by address; what may have arrived is unknown', async () => {
    const begun = await settled(['sent', 'retry_wait']);
    const doubted = await armed(2);
    await changeDeliveryStates(db.sql, ['sending'], doubted.sends.map((send) => ({ ...unitOf(send), fence: send.fence, state: 'retry_wait', reason: 'outcome_unknown' })));
    const fresh = await pushTo(someDevices(2));
    const campaigns = [begun, doubted.campaign, fresh];
    await db.sql.query('update campaigns set expires_at = now() where id = any($1)', [campaigns.map(({ campaignId }) => campaignId)]);

    await expireCampaigns(db);

    expect(await Promise.all(campaigns.map(shapesOf))).toEqual([[['sent', ['sent', 'expired']]], [['unknown', ['unknown', 'unknown']]], [['expired', []]]]);
    expect(await countsOf(fresh)).toEqual({ expired: 1 });
  });

  test('cancel ends what was not handed over, address by address; what is in flight gets its outcome, and no other try', async () => {
    const { campaign, sends } = await armed(3);
    await settle(sends.slice(0, 1), 'sent');
    await settle(sends.slice(1, 2), 'retry_wait');
    const fresh = await pushTo(someDevices(1));

    await act(campaign, 'cancel');
    await act(fresh, 'cancel');
    expect(await shapesOf(campaign)).toEqual([['sent', ['sent', 'canceled', 'sending']]]);
    await settle(sends.slice(2), 'retry_wait');
    await pass();

    expect(await shapesOf(campaign)).toEqual([['sent', ['sent', 'canceled', 'canceled']]]);
    expect([await countsOf(campaign), await countsOf(fresh)]).toEqual([{ sent: 1 }, { canceled: 1 }]);
  });

  test('nothing of a paused or an expired campaign is armed', async () => {
    const campaign = await pushTo(someDevices(2));
    const claimed = await claim(campaign);
    await act(campaign, 'pause');
    expect((await armDeliveries(db, claimed, LEASE_MS)).size).toBe(0);
    await act(campaign, 'resume');
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [campaign.campaignId]);

    expect((await armDeliveries(db, claimed, LEASE_MS)).size).toBe(0);
  });

  test('retry-failed begins anew, with the devices that there are then, under new fences; a success is left alone', async () => {
    const devices = someDevices(2, 2);
    const campaign = await pushTo(devices);
    const sends = await claimAndArm(campaign, 200);
    await settle(sends.slice(0, 3), 'failed');
    await settle(sends.slice(3), 'sent');
    await completeCampaigns(db);
    expect(await countsOf(campaign)).toEqual({ failed: 1, sent: 1 });
    const [user = ''] = Object.keys(devices);
    await db.sql.query('update devices set address = null, address_hash = null where device_id = $1', [sends[0]?.device?.deviceId]);
    await giveDevices(db, { applicationId: campaign.applicationId, devices: { [user]: [`new ${user}`] } });

    expect(await act(campaign, 'retry-failed')).toEqual({ outcome: 'done' });

    const again = await claimAndArm(campaign, 200);
    expect(again.map(({ device, attempts, customUserId }) => [customUserId, device?.address, attempts])).toEqual([`new ${user}`, devices[user]?.[1]].map((address) => [user, address, 0]));
    expect(again.every(({ fence }) => fence > 1)).toBe(true);
    await settle(sends.slice(0, 2), 'sent');
    expect(await countsOf(campaign)).toEqual({ pending: 1, sent: 1 });
    await settle(again, 'sent');
    expect(await countsOf(campaign)).toEqual({ sent: 2 });
  });

  test('a failure that follows a send of which nobody knows the outcome is not tried again', async () => {
    const { campaign, sends } = await armed(2);
    await changeDeliveryStates(db.sql, ['sending'], sends.slice(0, 1).map((send) => ({ ...unitOf(send), fence: send.fence, state: 'retry_wait', reason: 'outcome_unknown' })));
    await settle(sends.slice(1), 'failed');
    await settle(await claimAndArm(campaign, 2), 'failed');
    await completeCampaigns(db);

    expect(await act(campaign, 'retry-failed')).toEqual({ outcome: 'nothing_to_retry' });
  });
});
