import { dueBulkChunks } from '@tidings/delivery/bulk';
import { carryOutActions } from '@tidings/delivery/chunk-actions';
import { dueChunks, takeChunks } from '@tidings/delivery/chunks';
import { controlCampaign } from '@tidings/delivery/control';
import { correctFutureTimes } from '@tidings/delivery/future-times';
import { completeCampaigns, expireCampaigns, expireSendingLeases } from '@tidings/delivery/sweeps';
import type { Database } from '@tidings/postgres/database';
import { RANDOM_EVENTS } from './random-events.ts';
import { World, type ScenarioName } from './world.ts';

const STEPS = 500;
/** A campaign expires within its hour, so nothing waits for longer. */
const SETTLING_MINUTES_MAX = 90;
const MINUTE_MS = 60_000;
/** What a worker is in the middle of takes less than its leases. */
const MOMENT_MS = 500;
/** More than there are. */
const BULK_CHUNKS_MAX = 100;
const TOTAL_WEIGHT = RANDOM_EVENTS.reduce((sum, { weight }) => sum + weight, 0);

/**
 * Some workers, the sweeps and a provider, one step at a time in an order that the seed decides, on the real statements:
 * workers die, sleep and stop anywhere, statements are done without an answer, time jumps, campaigns pause and expire.
 * In the end all is left in peace until every campaign is done.
 * @throws when it never is
 */
export async function simulate(db: Database, seed: number, scenery: ScenarioName): Promise<World> {
  const world = await World.make(db, seed, scenery);
  for (let step = 0; step < STEPS; step += 1) {
    world.wake(step);
    let dice = world.draw(TOTAL_WEIGHT);
    await RANDOM_EVENTS.find(({ weight }) => (dice -= weight) < 0)?.apply(world, step);
    await world.settle();
  }
  await settle(world);
  for (let minute = 0; !(await areDone(world)); minute += 1) {
    if (minute === SETTLING_MINUTES_MAX)
      throw new Error(
        `seed ${seed}: not done after ${minute} minutes of peace\n${world.lines.slice(-40).join('\n')}`,
      );
    await runUndisturbed(world);
  }
  return world;
}

async function settle(world: World): Promise<void> {
  world.isAtPeace = true;
  world.wake(Infinity);
  const { db, applicationId, campaignIds } = world;
  for (const campaignId of campaignIds)
    await controlCampaign(db, {
      applicationId,
      campaignId,
      action: 'resume',
      actor: 'the simulation',
    });
}

/** One minute without faults: all participants work and the sweeps run. */
async function runUndisturbed(world: World): Promise<void> {
  const { db, campaignIds } = world;
  await openAllGates(world);
  await correctFutureTimes(db);
  await expireSendingLeases(db);
  await expireCampaigns(db);
  for (let position = await carryOutActions(db, null); position !== null;)
    position = await carryOutActions(db, position);
  await completeCampaigns(db);
  const due = [...(await dueChunks(db)), ...(await dueBulkChunks(db, BULK_CHUNKS_MAX))].filter(
    ({ campaignId }) => campaignIds.includes(campaignId),
  );
  for (const chunk of await takeChunks(db, due, MINUTE_MS)) world.give(chunk);
  let passedMs = 0;
  while (passedMs < MINUTE_MS) {
    const ms = world.areAllIdle() ? MINUTE_MS - passedMs : MOMENT_MS;
    await world.passTime(ms);
    passedMs += ms;
    await openAllGates(world);
  }
}

async function openAllGates(world: World): Promise<void> {
  do await world.settle();
  while (world.openGate());
}

async function areDone({ db, campaignIds }: World): Promise<boolean> {
  const { rows } = await db.sql.query(
    `select 1 from campaigns c where c.id = any($1) and (c.status in ('queued', 'sending', 'paused')
       or exists (select 1 from campaign_chunks k where k.campaign_id = c.id and k.pending_action is not null))`,
    [campaignIds],
  );
  return rows.length === 0;
}
