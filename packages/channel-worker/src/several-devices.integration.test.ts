import { afterAll, expect, test } from '@jest/globals';
import type { NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock } from '@tidings/platform';
import {
  connectTestDatabase,
  createPushCampaign,
  recount,
  someDevices,
  type DevicesOfUsers,
} from '@tidings/testing';
import type { OutgoingDelivery, SendResult } from './channel.ts';
import { createPolicyCache } from './settings-cache.ts';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const unending = new AbortController().signal;
const SENT = { status: 'sent' } as const;
const GONE = {
  status: 'invalid_address',
  reason: 'subscription_gone',
  providerCode: '410',
} as const;
const BUSY = { status: 'transient', reason: 'provider_unavailable' } as const;

/** A worker that sends the chunk; responses depend on the address. */
async function send(
  campaign: NewCampaign,
  answers: (address: string, nth: number) => SendResult,
  options: Parameters<typeof testWorker>[2] = {},
) {
  const nths = new Map<string, number>();
  const channel = scriptedChannel(({ address }: OutgoingDelivery) => {
    nths.set(address, (nths.get(address) ?? 0) + 1);
    return answers(address, nths.get(address) ?? 0);
  });
  await sendChunk(
    testWorker(db, channel, { channelName: 'WEB_PUSH', ...options }),
    { campaignId: campaign.campaignId, chunkNo: 0 },
    unending,
  );
  return channel.calls;
}

const shapesOf = async ({ campaignId }: NewCampaign) =>
  (await listDeliveries(db, campaignId, { limit: 500 })).map(
    ({ status, reason, addresses = [] }) => [
      status,
      reason,
      addresses.map((address) => address.status),
    ],
  );
const makeDue = ({ campaignId }: NewCampaign) =>
  db.sql.query('update delivery_addresses set next_at = now() where campaign_id = $1', [
    campaignId,
  ]);
const all = (devices: DevicesOfUsers): string[] => Object.values(devices).flat();

test('each device gets the message once, with what its channel needs; who has none fails no_subscription', async () => {
  const devices = someDevices(3, 0, 1);
  const campaign = await createPushCampaign(db, { devices });

  const calls = await send(campaign, () => SENT);

  expect(
    calls.map(({ address, deviceId, fence }) => [address, deviceId, fence]).toSorted(),
  ).toEqual(
    all(devices)
      .map((address) => [address, `device of ${address}`, 1])
      .toSorted(),
  );
  expect(await shapesOf(campaign)).toEqual([
    ['sent', null, ['sent', 'sent', 'sent']],
    ['failed', 'no_subscription', []],
    ['sent', null, ['sent']],
  ]);
  const { counts, failures } =
    (await readCampaign(db, campaign.applicationId, campaign.campaignId)) ?? {};
  expect(counts).toMatchObject({ total: 3, successful: 2, failed: 1, pending: 0 });
  expect(failures).toEqual({ no_subscription: 1 });
  expect(await recount(db, campaign.campaignId)).toEqual({
    groups: { sent: 2, failed: 1 },
    failures: { no_subscription: 1 },
  });
});

test('a device that is busy is tried again by itself, and one that is gone loses its address', async () => {
  const devices = someDevices(3);
  const [works = '', busy = '', gone = ''] = all(devices);
  const campaign = await createPushCampaign(db, { devices });
  const answers = (address: string): SendResult =>
    address === gone ? GONE : address === busy ? BUSY : SENT;

  const first = await send(campaign, answers);
  expect(first.map(({ address }) => address).toSorted()).toEqual([works, busy, gone].toSorted());
  expect(await shapesOf(campaign)).toEqual([['sent', null, ['sent', 'retry_wait', 'failed']]]);
  await makeDue(campaign);
  const second = await send(campaign, () => SENT);

  expect(second.map(({ address, fence }) => [address, fence])).toEqual([[busy, 2]]);
  expect(await shapesOf(campaign)).toEqual([['sent', null, ['sent', 'sent', 'failed']]]);
  const { rows } = await db.sql.query(
    'select device_id from devices where application_id = $1 and address is null',
    [campaign.applicationId],
  );
  expect(rows).toEqual([{ device_id: `device of ${gone}` }]);
});

test('a device with an unknown outcome is sent to again, because a repeat is idempotent; the others are not', async () => {
  const devices = someDevices(2);
  const campaign = await createPushCampaign(db, { devices });
  const [first = ''] = all(devices);

  await send(campaign, (address) => (address === first ? { status: 'unknown' } : SENT));
  await makeDue(campaign);

  expect((await send(campaign, () => SENT)).map(({ address }) => address)).toEqual([first]);
  expect(await shapesOf(campaign)).toEqual([['sent', null, ['sent', 'sent']]]);
});

test('more devices than there are slots are sent to in turn, each once', async () => {
  const devices = someDevices(3, 3, 3, 3, 3, 3, 3, 3);
  const campaign = await createPushCampaign(db, { devices });

  const calls = await send(campaign, () => SENT, { concurrency: 2 });

  expect(calls.map(({ address }) => address).toSorted()).toEqual(all(devices).toSorted());
});

test('quiet hours hold all devices of a user, and let all of them go', async () => {
  const devices = someDevices(2);
  const campaign = await createPushCampaign(db, { devices, purpose: 'marketing' });
  await updateApplication(db, campaign.applicationId, {
    settings: { quietHours: { default: { from: '21:00', to: '08:00' } } },
  });
  const at = (instant: string) => ({
    clock: { ...systemClock, now: () => Date.parse(instant) },
    policies: createPolicyCache(db, 'WEB_PUSH'),
  });

  expect(await send(campaign, () => SENT, at('2026-11-21T23:00:00Z'))).toEqual([]);
  expect(await shapesOf(campaign)).toEqual([['pending', 'quiet_hours', ['pending', 'pending']]]);
  await makeDue(campaign);

  expect(await send(campaign, () => SENT, at('2026-11-22T09:00:00Z'))).toHaveLength(2);
  expect(await shapesOf(campaign)).toEqual([['sent', null, ['sent', 'sent']]]);
});

test('a daily cap counts a user once, and gives his place back when all of his devices have refused', async () => {
  const campaign = await createPushCampaign(db, { devices: someDevices(2, 2, 2) });
  await updateApplication(db, campaign.applicationId, { settings: { dailyCaps: { WEB_PUSH: 2 } } });

  // With a slot for each, so that all are marked before any has refused: half of the slots, before a first answer.
  const calls = await send(campaign, () => GONE, {
    concurrency: 20,
    policies: createPolicyCache(db, 'WEB_PUSH'),
  });

  expect(calls).toHaveLength(4);
  expect((await shapesOf(campaign)).map(([status, reason]) => [status, reason]).toSorted()).toEqual(
    [
      ['failed', 'spend_cap'],
      ['failed', 'subscription_gone'],
      ['failed', 'subscription_gone'],
    ],
  );
  const { rows } = await db.sql.query(
    'select units::int as units from daily_sends where application_id = $1',
    [campaign.applicationId],
  );
  expect(rows).toEqual([{ units: 0 }]);
});
