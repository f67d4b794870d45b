import type { CampaignAction } from '@tidings/contracts/push/campaigns';
import { carryOutActions } from '@tidings/delivery/chunk-actions';
import { controlCampaign } from '@tidings/delivery/control';
import { correctFutureTimes } from '@tidings/delivery/future-times';
import { completeCampaigns, expireCampaigns, expireSendingLeases } from '@tidings/delivery/sweeps';
import type { Database } from '@tidings/postgres/database';
import type { World } from './world.ts';

/** Something that may happen next, the likelier the more it weighs. */
type RandomEvent = { readonly weight: number; apply(world: World, step: number): unknown };

/** Shorter and longer than: a micro-batch of the recorder, a marking, a wait for slots, a lease. */
const JUMPS_MS = [20, 1_500, 2_500, 10_000, 25_000, 31_000, 65_000];
const SLEEP_STEPS = { least: 5, most: 65 };
const SWEEPS = [
  correctFutureTimes,
  expireSendingLeases,
  expireCampaigns,
  completeCampaigns,
  (db: Database) => carryOutActions(db, null),
];

export const RANDOM_EVENTS: readonly RandomEvent[] = [
  { weight: 60, apply: (world) => world.openGate() },
  // Dispatch records are hints: any chunk may be dispatched at any time, repeatedly.
  { weight: 20, apply: (world) => world.give({ campaignId: anyCampaign(world), chunkNo: 0 }) },
  { weight: 9, apply: (world) => world.passTime(world.pick(JUMPS_MS) ?? 0) },
  { weight: 8, apply: (world) => world.pick(SWEEPS)?.(world.db) },
  {
    weight: 6,
    apply: (world, step) =>
      world.putToSleep(
        step + SLEEP_STEPS.least + world.below(SLEEP_STEPS.most - SLEEP_STEPS.least),
      ),
  },
  { weight: 2, apply: (world) => world.kill() },
  { weight: 1, apply: (world) => world.stop() },
  { weight: 0.5, apply: (world) => world.putClockRight(anyCampaign(world)) },
  { weight: 1, apply: (world) => control(world, 'pause') },
  { weight: 3, apply: (world) => control(world, 'resume') },
  { weight: 0.1, apply: (world) => control(world, 'cancel') },
  {
    weight: 0.05,
    apply: (world) =>
      world.db.sql.query('update campaigns set expires_at = now() where id = $1', [
        anyCampaign(world),
      ]),
  },
];

function anyCampaign(world: World): string {
  return world.pick(world.campaignIds) ?? '';
}

function control(world: World, action: CampaignAction): Promise<unknown> {
  return controlCampaign(world.db, {
    applicationId: world.applicationId,
    campaignId: anyCampaign(world),
    action,
    actor: 'the simulation',
  });
}
