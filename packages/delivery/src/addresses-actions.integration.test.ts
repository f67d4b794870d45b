import { afterAll, describe, expect, test } from '@jest/globals';
import { createOwnDatabase, giveDevices, someDevices } from '@tidings/testing';
import { changeDeliveryStates, targetOf } from './change-states.ts';
import { takeChunks } from './chunks.ts';
import { markSending } from './mark-sending.ts';
import { completeCampaigns, expireCampaigns, expireSendingLeases } from './sweeps.ts';
import { addressesOf } from './testing/addressed-campaigns.ts';
import { LEASE_MS } from './testing/controlled-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 6 });
afterAll(() => db.close());
const {
  act,
  claim,
  claimAndMarkSending,
  settle,
  pass,
  countsOf,
  statusOf,
  pushTo,
  shapesOf,
  endLeases,
  marked,
  settled,
} = addressesOf(db);

describe('of several addresses', () => {
  test('a send whose worker is gone is due again, that address alone, since a repeat does no harm', async () => {
    const { campaign, sends } = await marked(2);
    await settle(sends.slice(0, 1), 'sent');
    await endLeases(campaign);

    await expireSendingLeases(db);

    expect(await shapesOf(campaign)).toEqual([['sent', ['sent', 'retry_wait']]]);
    expect(
      (await claim(campaign)).map(({ addressNo, ambiguousAttempts }) => [
        addressNo,
        ambiguousAttempts,
      ]),
    ).toEqual([[1, 1]]);
  });

  test('where the application does not want that it is unknown', async () => {
    const { campaign } = await marked(2);
    await db.sql.query(
      `update applications set settings = '{"resendOnUnknown": {"WEB_PUSH": false}}' where id = $1`,
      [campaign.applicationId],
    );
    await endLeases(campaign);

    await expireSendingLeases(db);

    expect(await shapesOf(campaign)).toEqual([['unknown', ['unknown', 'unknown']]]);
  });

  test('an active lease keeps its chunk among those that the sweep checks', async () => {
    const { campaign } = await marked(2);
    await db.sql.query(
      `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1`,
      [campaign.campaignId],
    );

    expect(await expireSendingLeases(db)).toBe(0);

    const { rows } = await db.sql.query<{ is_later: boolean }>(
      'select leased_until > now() as is_later from campaign_chunks where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rows).toEqual([{ is_later: true }]);
  });

  test('an address that is yet to be tried again keeps its chunk due and its campaign at work, though the delivery is sent', async () => {
    const campaign = await settled(['sent', 'retry_wait']);
    const chunk = { campaignId: campaign.campaignId, chunkNo: 0 };
    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);

    expect(await takeChunks(db, [chunk], 1_000)).toMatchObject([chunk]);
    await completeCampaigns(db);
    expect(await statusOf(campaign)).toBe('sending');

    await settle(await claimAndMarkSending(campaign, 2), 'failed');
    await completeCampaigns(db);
    expect(await statusOf(campaign)).toBe('completed');
    expect(await countsOf(campaign)).toEqual({ sent: 1 });
  });

  test('expiry ends unsent addresses; possibly sent ones become unknown', async () => {
    const begun = await settled(['sent', 'retry_wait']);
    const doubted = await marked(2);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      doubted.sends.map((send) => ({
        ...targetOf(send),
        fence: send.fence,
        state: 'retry_wait',
        reason: 'outcome_unknown',
      })),
    );
    const fresh = await pushTo(someDevices(2));
    const campaigns = [begun, doubted.campaign, fresh];
    await db.sql.query('update campaigns set expires_at = now() where id = any($1)', [
      campaigns.map(({ campaignId }) => campaignId),
    ]);

    await expireCampaigns(db);

    expect(await Promise.all(campaigns.map(shapesOf))).toEqual([
      [['sent', ['sent', 'expired']]],
      [['unknown', ['unknown', 'unknown']]],
      [['expired', []]],
    ]);
    expect(await countsOf(fresh)).toEqual({ expired: 1 });
  });

  test('cancel ends unsent addresses; those in flight get their outcome and no retry', async () => {
    const { campaign, sends } = await marked(3);
    await settle(sends.slice(0, 1), 'sent');
    await settle(sends.slice(1, 2), 'retry_wait');
    const fresh = await pushTo(someDevices(1));

    await act(campaign, 'cancel');
    await act(fresh, 'cancel');
    expect(await shapesOf(campaign)).toEqual([['sent', ['sent', 'canceled', 'sending']]]);
    await settle(sends.slice(2), 'retry_wait');
    await pass();

    expect(await shapesOf(campaign)).toEqual([['sent', ['sent', 'canceled', 'canceled']]]);
    expect([await countsOf(campaign), await countsOf(fresh)]).toEqual([
      { sent: 1 },
      { canceled: 1 },
    ]);
  });

  test('nothing of a paused or an expired campaign is marked', async () => {
    const campaign = await pushTo(someDevices(2));
    const claimed = await claim(campaign);
    await act(campaign, 'pause');
    expect((await markSending(db, claimed, LEASE_MS)).size).toBe(0);
    await act(campaign, 'resume');
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    expect((await markSending(db, claimed, LEASE_MS)).size).toBe(0);
  });

  test('retry-failed begins anew, with the devices that there are then, under new fences; a success is left alone', async () => {
    const devices = someDevices(2, 2);
    const campaign = await pushTo(devices);
    const sends = await claimAndMarkSending(campaign, 200);
    await settle(sends.slice(0, 3), 'failed');
    await settle(sends.slice(3), 'sent');
    await completeCampaigns(db);
    expect(await countsOf(campaign)).toEqual({ failed: 1, sent: 1 });
    const [user = ''] = Object.keys(devices);
    await db.sql.query(
      'update devices set address = null, address_hash = null where device_id = $1',
      [sends[0]?.device?.deviceId],
    );
    await giveDevices(db, {
      applicationId: campaign.applicationId,
      devices: { [user]: [`new ${user}`] },
    });

    expect(await act(campaign, 'retry-failed')).toEqual({ outcome: 'done' });

    const again = await claimAndMarkSending(campaign, 200);
    expect(
      again.map(({ device, attempts, customUserId }) => [customUserId, device?.address, attempts]),
    ).toEqual([`new ${user}`, devices[user]?.[1]].map((address) => [user, address, 0]));
    expect(again.every(({ fence }) => fence > 1)).toBe(true);
    await settle(sends.slice(0, 2), 'sent');
    expect(await countsOf(campaign)).toEqual({ pending: 1, sent: 1 });
    await settle(again, 'sent');
    expect(await countsOf(campaign)).toEqual({ sent: 2 });
  });

  test('a failure after a send with an unknown outcome is not retried', async () => {
    const { campaign, sends } = await marked(2);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      sends.slice(0, 1).map((send) => ({
        ...targetOf(send),
        fence: send.fence,
        state: 'retry_wait',
        reason: 'outcome_unknown',
      })),
    );
    await settle(sends.slice(1), 'failed');
    await settle(await claimAndMarkSending(campaign, 2), 'failed');
    await completeCampaigns(db);

    expect(await act(campaign, 'retry-failed')).toEqual({ outcome: 'nothing_to_retry' });
  });
});
