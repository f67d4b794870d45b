import { eventually } from '@tidings/testing';
import { readStoredDeliveries } from '../../oracles/delivery/stored-deliveries.ts';
import { runFor } from '../steps.ts';
import { read, start, type Started } from './control.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { killWorker } from './kills.ts';
import { complete } from './large-campaign.ts';

const CHANNEL = 'EMAIL';
/** After the share of the campaign at which a kill is due, so that it meets any step. */
export const KILL_WITHIN_MS = 500;
const REACHED_WITHIN_MS = 180_000;
const POLL_MS = 100;

export const largeCampaignKilled: DeliveryRow = {
  id: 'D30',
  fault: 'kill -9 of the worker 30 times during a large campaign by EMAIL',
  brokers: 1,
  // Only pushes to one recipient besides: all kills hit the one campaign.
  isQuiet: true,
  withinMs: 45 * 60_000,
  plan: { applications: 1, users: 100_000, requestsPerSecond: 3, kills: 30 },
  async inject(run) {
    const { kills, users } = run.plan;
    const started = await start(run, run.pushes.all(CHANNEL, users));
    for (let kill = 1; kill <= kills; kill += 1) {
      await untilSent(run, started, (users * kill) / (kills + 1));
      await runFor(run, 0, KILL_WITHIN_MS);
      await killWorker(run, CHANNEL);
    }
    await complete(run, started, `${CHANNEL} to ${users}, ${kills} kills`);
    await noteAmbiguous(run, started);
  },
};

/** @throws if the campaign is over: a kill would have no effect */
export async function untilSent(run: DeliveryRun, started: Started, count: number): Promise<void> {
  await eventually(
    async () => {
      if (run.ending.aborted) return;
      const { counts } = await read(started);
      if (counts.successful < count) throw new Error(`${counts.successful} of ${count} are sent`);
    },
    { timeoutMs: REACHED_WITHIN_MS, intervalMs: POLL_MS },
  );
  run.ending.throwIfAborted();
  const { status } = await read(started);
  if (status !== 'sending')
    throw new Error(`the campaign is ${status} before its last fault, which had no effect`);
}

/** How many unknown messages were at the provider without a recorded reply, and how many never left. */
export async function noteAmbiguous(
  { rig, senders, notes }: DeliveryRun,
  { campaignId }: Started,
): Promise<void> {
  const { deliveries } = await readStoredDeliveries(
    rig.db,
    senders.map(({ id }) => id),
  );
  const accepted = new Set(rig.sandbox.accepted().map(({ deliveryId }) => deliveryId));
  const unknown = deliveries.filter(
    (one) => one.campaignId === campaignId && one.state === 'unknown',
  );
  const arrived = unknown.filter(({ deliveryId }) => accepted.has(deliveryId)).length;
  notes.push(
    `${unknown.length} unknown: ${arrived} at the provider without a recorded reply, ${unknown.length - arrived} marked as sending and never sent`,
  );
}
