import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RETRY_IF_UNKNOWN } from '@tidings/contracts/channels/channels';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { readEnvironment } from '@tidings/platform';
import { casesOfRun, createOwnDatabase, randomFrom, recount, seedsOfRun } from '@tidings/testing';
import type { Handled } from './simulated-provider.ts';
import { CONCURRENCY } from './simulated-worker.ts';
import { simulate } from './simulation.ts';
import { SCENARIOS, type ScenarioName, type World } from './world.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 4 });
afterAll(() => db.close());

const SEEDS = Number(readEnvironment()['SIMULATION_SEEDS'] ?? casesOfRun({ usual: 12, all: 24 }));
const SEED_FROM = Number(readEnvironment()['SIMULATION_SEED_FROM'] ?? 1);
const TEST_TIMEOUT_MS = 120_000;

/** Delays are random: they are the seed's, too. */
const fixChance = (seed: number) =>
  void jest.spyOn(Math, 'random').mockImplementation(randomFrom(seed + 1_000_000));
beforeEach(() => fixChance(0));
afterEach(() => void jest.restoreAllMocks());

/** What is tried again for long takes long to come to an end: of that a third of the seeds are enough. */
const SEEDS_OF = {
  'one address each': SEEDS,
  'one address each, in bulk': SEEDS,
  'several devices': SEEDS,
  'several devices, sent again on doubt': Math.ceil(SEEDS / 3),
} as const satisfies Record<ScenarioName, number>;

describe.each(Object.keys(SCENARIOS) as ScenarioName[])('%s', (scenery) => {
  const seeds = Array.from({ length: SEEDS_OF[scenery] }, (_, index) => SEED_FROM + index);
  test.each(seedsOfRun(seeds))(
    'through crashes, pauses, losses and delays no recipient gets a message twice, outcomes are correct and counters exact (seed %i)',
    async (seed) => {
      fixChance(seed);
      const world = await simulate(db, seed, scenery);
      const sends = await readSends(world);
      const { handled } = world.provider;

      expect(world.failures()).toEqual([]);
      expect(handled.length).toBeGreaterThan(0);
      const faults = [
        ...(isRepeatedOnDoubt(world) ? [] : repeats(handled)),
        ...sends.flatMap((send) => [...unallowedRepeats(send, world), ...untruths(send, world)]),
        ...(await wrongFolds(world, sends)),
        ...(await wrongDevices(world, sends)),
      ];
      expect({ faults, lines: faults.length === 0 ? [] : world.lines }).toEqual({
        faults: [],
        lines: [],
      });

      const doubts = handled.filter(({ isHeard }) => !isHeard).length;
      expect(sends.filter(({ state }) => state === 'unknown').length).toBeLessThanOrEqual(
        doubts + world.disturbances * CONCURRENCY,
      );
      for (const campaignId of world.campaignIds)
        await checkCounters(world.applicationId, campaignId);
    },
    TEST_TIMEOUT_MS,
  );
});

test.each(
  seedsOfRun(['one address each', 'one address each, in bulk', 'several devices'] as const),
)(
  'the same seed tells the same story (%s)',
  async (scenery) => {
    fixChance(7);
    const first = await simulate(db, 7, scenery);
    fixChance(7);
    const again = await simulate(db, 7, scenery);
    expect(again.lines).toEqual(first.lines);
    expect(again.provider.handled.map(({ answer }) => answer)).toEqual(
      first.provider.handled.map(({ answer }) => answer),
    );
  },
  TEST_TIMEOUT_MS,
);

/** What is sent by itself: a delivery, or one of its addresses; `tries` counts how often it was allowed to be sent again. */
type Send = {
  readonly key: string;
  readonly deliveryId: string;
  readonly deviceId: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly doubts: number;
  readonly tries: number;
};

async function readSends({ campaignIds, scenery }: World): Promise<Send[]> {
  const tries = (entry: string, of: string): string =>
    `(select count(*)::int from campaign_events e where ${of} and e.type in ('${entry}.retry_wait', '${entry}.pending')) as tries`;
  const { rows } = await db.sql.query<Omit<Send, 'key'>>(
    scenery.channelName === 'EMAIL'
      ? `select d.id as "deliveryId", null as "deviceId", d.state, d.attempts, d.doubts, ${tries('delivery', 'e.delivery_id = d.id')} from deliveries d where d.campaign_id = any($1)`
      : // A delivery to one device is sent itself; a displayed message was sent.
        `select d.id as "deliveryId", d.device_id as "deviceId", case d.state when 'displayed' then 'sent' else d.state end as state, d.attempts, d.doubts, ${tries('delivery', 'e.delivery_id = d.id')}
         from deliveries d where d.campaign_id = any($1) and d.device_id is not null
         union all
         select d.delivery_id, d.device_id, d.state, d.attempts, d.doubts, ${tries('address', 'e.delivery_id = d.delivery_id and e.address_no = d.address_no')}
         from delivery_addresses d where d.campaign_id = any($1)`,
    [campaignIds],
  );
  return rows.map((row) => ({ ...row, key: keyOf(row) }));
}

const keyOf = ({
  deliveryId,
  deviceId,
}: {
  readonly deliveryId: string;
  readonly deviceId?: string | null;
}): string => `${deliveryId} ${deviceId ?? ''}`;
const isRepeatedOnDoubt = ({ scenery: { channelName, wishes } }: World): boolean =>
  RETRY_IF_UNKNOWN[channelName] && wishes.resendOnUnknown?.[channelName] !== false;

/** A message may follow another only where the provider is known to have turned the other away for now. */
function repeats(handled: readonly Handled[]): string[] {
  const last = new Map<string, Handled>();
  const faults: string[] = [];
  for (const message of handled) {
    const before = last.get(keyOf(message));
    if (before !== undefined && !(before.answer === 'busy' && before.isHeard))
      faults.push(`sent again after ${before.answer}${before.isHeard ? '' : ', unheard'}`);
    last.set(keyOf(message), message);
  }
  return faults;
}

/** Each message but the first follows an outcome that was recorded and says that there may be another. */
function unallowedRepeats({ key, tries }: Send, { provider }: World): string[] {
  const times = provider.handled.filter((message) => keyOf(message) === key).length;
  return times > 1 + tries ? [`sent ${times} times, allowed ${1 + tries}`] : [];
}

const SUCCESSES: readonly DeliveryState[] = ['sent', 'delivered'];

/** What the report says of a send that the provider knows better. */
function untruths({ key, deviceId, state, attempts, doubts }: Send, world: World): string[] {
  const { provider, dead } = world;
  const handled = provider.handled.filter((message) => keyOf(message) === key);
  const accepted = handled.find(({ answer }) => answer === 'accepted');
  const isSuccess = SUCCESSES.includes(state);
  const faults: string[] = [];
  if (isSuccess && accepted === undefined) faults.push(`${state}, but never accepted`);
  // A retry after an unknown outcome shows the last attempt's result.
  if (accepted !== undefined && !isSuccess && state !== 'unknown' && doubts === 0)
    faults.push(`accepted, but ${state}`);
  if (accepted?.isToldLater === true && deviceId === null && state !== 'delivered')
    faults.push(`told to be accepted, but ${state}`);
  // A living worker records its result, however late. Only `not_sent` comes too late if the send
  // was aborted meanwhile.
  const isKnown = handled.some(
    ({ answer, isHeard, sentBy }) => isHeard && answer !== 'busy' && !dead.has(sentBy),
  );
  if (state === 'unknown' && isKnown && !isRepeatedOnDoubt(world))
    faults.push('heard by one who lives, but unknown');
  if (state === 'unknown' && attempts === 0) faults.push('unknown without an attempt');
  if (!isSuccess && !['failed', 'unknown', 'expired', 'canceled'].includes(state))
    faults.push(`left ${state}`);
  return faults;
}

/** A delivery has the aggregate state of its addresses, or was displayed by a device. */
async function wrongFolds(
  { campaignIds, provider, scenery }: World,
  sends: readonly Send[],
): Promise<string[]> {
  if (scenery.channelName === 'EMAIL') return [];
  const { rows } = await db.sql.query<{ id: string; state: DeliveryState; is_addressed: boolean }>(
    'select id, state, addressed_at is not null as is_addressed from deliveries where campaign_id = any($1)',
    [campaignIds],
  );
  return rows.flatMap(({ id, state, is_addressed: isAddressed }) => {
    const states = sends.filter(({ deliveryId }) => deliveryId === id).map((send) => send.state);
    const isShown = provider.handled.some(
      (message) => message.deliveryId === id && message.isToldLater,
    );
    if (state === 'displayed') return isShown ? [] : ['displayed, but no device showed it'];
    if (isShown && state !== 'failed' && !ENDED_EARLY.includes(state))
      return [`shown, but ${state}`];
    if (states.length === 0)
      return ENDED_EARLY.includes(state) ? [] : [`${state} without an address`];
    return !isAddressed || state === together(states)
      ? []
      : [`${state}, but its addresses are ${states.join()}`];
  });
}

/** Before or during the send; a device's receipt then comes too late. */
const ENDED_EARLY: readonly DeliveryState[] = ['canceled', 'expired'];

function together(states: readonly DeliveryState[]): DeliveryState {
  if (states.includes('sent')) return 'sent';
  if (states.some((state) => !['failed', 'unknown', 'expired', 'canceled'].includes(state)))
    return 'pending';
  return (
    (['unknown', 'canceled', 'expired'] as const).find((state) => states.includes(state)) ??
    'failed'
  );
}

/** A device loses its address when its death is recorded, and only then. */
async function wrongDevices({ applicationId }: World, sends: readonly Send[]): Promise<string[]> {
  const { rows } = await db.sql.query<{
    device_id: string;
    is_reached: boolean;
    is_known_dead: boolean;
  }>(
    `select v.device_id, v.address is not null as is_reached, exists (
       select 1 from delivery_addresses a join campaign_events e on e.delivery_id = a.delivery_id and e.address_no = a.address_no and e.outcome = 'invalid_address'
       where a.device_id = v.device_id
       union all
       select 1 from deliveries d join campaign_events e on e.delivery_id = d.id and e.address_no is null and e.outcome = 'invalid_address'
       where d.device_id = v.device_id) as is_known_dead
     from devices v where v.application_id = $1`,
    [applicationId],
  );
  const sentTo = new Set(sends.map(({ deviceId }) => deviceId));
  return rows
    .filter((row) => row.is_reached === row.is_known_dead)
    .map(
      (row) =>
        `a device${sentTo.has(row.device_id) ? '' : ' that was never sent to'} is ${row.is_reached ? 'reached though dead' : 'lost though alive'}`,
    );
}

async function checkCounters(applicationId: string, campaignId: string): Promise<void> {
  const report = await readCampaign(db, applicationId, campaignId);
  const { groups, failures } = await recount(db, campaignId);
  const {
    pending = -1,
    sent = -1,
    delivered = -1,
    displayed = -1,
    failed = -1,
    unknown = -1,
    expired = -1,
    canceled = -1,
  } = report?.counts ?? {};
  // Delivered counts as sent too, displayed as both.
  expect({
    pending,
    sent: sent - delivered,
    delivered: delivered - displayed,
    displayed,
    failed,
    unknown,
    expired,
    canceled,
  }).toEqual({
    pending: 0,
    sent: 0,
    delivered: 0,
    displayed: 0,
    failed: 0,
    unknown: 0,
    expired: 0,
    canceled: 0,
    ...groups,
  });
  expect(report?.failures).toEqual(failures);
}
