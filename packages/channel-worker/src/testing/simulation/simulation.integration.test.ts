import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { DeliveryState } from '@tidings/contracts';
import { readCampaign } from '@tidings/db';
import { readEnvironment } from '@tidings/platform';
import { createOwnDatabase, randomFrom, recount } from '@tidings/testing';
import type { Handled } from './simulated-provider.ts';
import { CONCURRENCY } from './simulated-worker.ts';
import { simulate } from './simulation.ts';
import type { World } from './world.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 4 });
afterAll(() => db.close());

const SEEDS = Number(readEnvironment()['SIMULATION_SEEDS'] ?? 24);
const SEED_FROM = Number(readEnvironment()['SIMULATION_SEED_FROM'] ?? 1);
const TEST_TIMEOUT_MS = 120_000;

/** Delays are random: they are the seed's, too. */
const fixChance = (seed: number) => void jest.spyOn(Math, 'random').mockImplementation(randomFrom(seed + 1_000_000));
beforeEach(() => fixChance(0));
afterEach(() => void jest.restoreAllMocks());

test.each(Array.from({ length: SEEDS }, (_, index) => SEED_FROM + index))(
  'O3 O4 O5 whatever dies, sleeps, is lost or late: nobody is sent a message twice, every outcome is true, the counters are exact (seed %i)',
  async (seed) => {
    fixChance(seed);
    const world = await simulate(db, seed);
    const deliveries = await readDeliveries(world);
    const { handled } = world.provider;

    expect(world.failures()).toEqual([]);
    expect(handled.length).toBeGreaterThan(0);
    const faults = [...repeats(handled), ...deliveries.flatMap((delivery) => untruths(delivery, world))];
    expect({ faults, lines: faults.length === 0 ? [] : world.lines }).toEqual({ faults: [], lines: [] });

    const doubts = handled.filter(({ isHeard }) => !isHeard).length;
    expect(deliveries.filter(({ state }) => state === 'unknown').length).toBeLessThanOrEqual(doubts + world.disturbances * CONCURRENCY);
    for (const campaignId of world.campaignIds) await checkCounters(world.applicationId, campaignId);
  },
  TEST_TIMEOUT_MS,
);

test('the same seed tells the same story', async () => {
  fixChance(7);
  const first = await simulate(db, 7);
  fixChance(7);
  const again = await simulate(db, 7);
  expect(again.lines).toEqual(first.lines);
  expect(again.provider.handled.map(({ answer }) => answer)).toEqual(first.provider.handled.map(({ answer }) => answer));
}, TEST_TIMEOUT_MS);

type Row = { readonly id: string; readonly state: DeliveryState; readonly attempts: number };

async function readDeliveries({ campaignIds }: World): Promise<Row[]> {
  const { rows } = await db.sql.query<Row>('select id, state, attempts from deliveries where campaign_id = any($1)', [campaignIds]);
  return rows;
}

/** A message may follow another only where the provider is known to have turned the other away for now. */
function repeats(handled: readonly Handled[]): string[] {
  const last = new Map<string, Handled>();
  const faults: string[] = [];
  for (const message of handled) {
    const before = last.get(message.deliveryId);
    if (before !== undefined && !(before.answer === 'busy' && before.isHeard)) faults.push(`sent again after ${before.answer}${before.isHeard ? '' : ', unheard'}`);
    last.set(message.deliveryId, message);
  }
  return faults;
}

const SUCCESSES: readonly DeliveryState[] = ['sent', 'delivered'];

/** What the report says of a delivery that the provider knows better. */
function untruths({ id, state, attempts }: Row, { provider, dead }: World): string[] {
  const handled = provider.handled.filter(({ deliveryId }) => deliveryId === id);
  const accepted = handled.find(({ answer }) => answer === 'accepted');
  const isSuccess = SUCCESSES.includes(state);
  const faults: string[] = [];
  if (isSuccess && accepted === undefined) faults.push(`${state}, but never accepted`);
  if (accepted !== undefined && !isSuccess && state !== 'unknown') faults.push(`accepted, but ${state}`);
  if (accepted?.isToldLater === true && state !== 'delivered') faults.push(`told to be accepted, but ${state}`);
  // Whoever lives records what it heard, however late. Only "not now" comes too late when the send was given up meanwhile.
  if (state === 'unknown' && handled.some(({ answer, isHeard, sentBy }) => isHeard && answer !== 'busy' && !dead.has(sentBy))) faults.push('heard by one who lives, but unknown');
  if (state === 'unknown' && attempts === 0) faults.push('unknown without an attempt');
  if (!isSuccess && !['failed', 'unknown', 'expired', 'canceled'].includes(state)) faults.push(`left ${state}`);
  return faults;
}

async function checkCounters(applicationId: string, campaignId: string): Promise<void> {
  const report = await readCampaign(db, applicationId, campaignId);
  const { groups, failures } = await recount(db, campaignId);
  const { pending = -1, sent = -1, delivered = -1, failed = -1, unknown = -1, expired = -1, canceled = -1 } = report?.counts ?? {};
  // What was delivered counts as sent, too.
  expect({ pending, sent: sent - delivered, delivered, failed, unknown, expired, canceled }).toEqual({ pending: 0, sent: 0, delivered: 0, failed: 0, unknown: 0, expired: 0, canceled: 0, ...groups });
  expect(report?.failures).toEqual(failures);
}
