import { SENT_CHANNELS, WORKERS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { runFor, readyAfterDeath } from '../steps.ts';
import { EXPANSION_BREAKPOINTS, WORKER_BREAKPOINTS } from './breakpoints.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { allowAmbiguousAttempts, killAt, untilAllSend, untilSends } from './steps.ts';

/** Interval between two kills of a busy worker; half of it on average. */
const WITHIN_MS = 700;
const PASSAGES_MAX = 3;
/**
 * Time until ready: a service needs its partitions, and its group waits 6 s for the session of the
 * killed process.
 */
const READY_WITHIN_MS = 16_000;
/** In the short form, each worker is killed at two of its points, chosen by the seed. */
const POINTS_OF_SHORT = 2;
const KILLS_OF_LONG = 10;

export const campaignsKilled: DeliveryRow = {
  id: 'D3',
  fault:
    'kill -9 of campaigns: around the commit of an expansion, before its dispatch is recorded, at random',
  brokers: 1,
  async inject(run) {
    for (const point of EXPANSION_BREAKPOINTS) {
      // Large campaigns, whose expansion has several steps.
      const large = SENT_CHANNELS.map((channel) => run.load.send(run.pushes.bulk(channel, 1)));
      await killAt(run, { service: 'campaigns', point, passagesMax: 3 });
      await noteRestart(run, 'campaigns');
      await Promise.all(large);
    }
    for (let kill = 0; kill < run.plan.kills; kill += 1) {
      if (kill % 5 === 0) void run.load.send(run.pushes.bulk('EMAIL', 1));
      await runFor(run, 0, 2 * WITHIN_MS);
      run.rig.supervisor.kill('campaigns', 'SIGKILL');
      await noteRestart(run, 'campaigns');
    }
  },
};

export const workersKilled: DeliveryRow = {
  id: 'D4',
  fault: 'kill -9 of the workers: at eight points of the protocol, at random',
  brokers: 1,
  async inject(run) {
    await Promise.all(SENT_CHANNELS.map((channel, index) => killAtPoints(run, channel, index)));
    await killAtRandom(run);
    await untilAllSend(run);
  },
};

/** Kills each worker at each point in turn; the three run in parallel, at different points. */
async function killAtPoints(run: DeliveryRun, channel: SentChannel, offset: number): Promise<void> {
  const service = WORKERS[channel];
  const points = WORKER_BREAKPOINTS.filter(
    ({ of }) => of !== 'kafka' || run.rig.kafkaNodes.length > 0,
  );
  const count = run.plan.kills >= KILLS_OF_LONG ? points.length : POINTS_OF_SHORT;
  const first = Math.floor(run.random() * points.length);
  for (let index = 0; index < count; index += 1) {
    const point = points[(first + offset * POINTS_OF_SHORT + index) % points.length];
    if (point === undefined) continue;
    await untilSends(run, channel);
    allowAmbiguousAttempts(run, [channel]);
    await killAt(run, { service, point, passagesMax: PASSAGES_MAX });
    await noteRestart(run, service);
  }
}

/** Repeatedly kills the worker that was the first to send since its start. */
async function killAtRandom(run: DeliveryRun): Promise<void> {
  let left = run.plan.kills;
  const startedAt = performance.now();
  await Promise.all(
    SENT_CHANNELS.map(async (channel) => {
      for (;;) {
        await untilSends(run, channel);
        await runFor(run, 0, WITHIN_MS);
        if (left <= 0) return;
        left -= 1;
        await killWorker(run, channel);
      }
    }),
  );
  run.notes.push(
    `${run.plan.kills} kills at random in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
}

export async function killWorker(run: DeliveryRun, channel: SentChannel): Promise<void> {
  allowAmbiguousAttempts(run, [channel]);
  run.rig.supervisor.kill(WORKERS[channel], 'SIGKILL');
  await noteRestart(run, WORKERS[channel]);
}

/** Resolves when a killed service is ready again; records the slowest. */
async function noteRestart(run: DeliveryRun, service: string): Promise<void> {
  const { recoveries } = run;
  const took = await readyAfterDeath(run, service);
  const what = `${service} works again, slowest restart`;
  const before = recoveries.findIndex((recovery) => recovery.what === what);
  const last = recoveries[before];
  if (last !== undefined && (last.ms ?? 0) - last.cpuWaitMs >= took.ms - took.cpuWaitMs) return;
  if (before >= 0) recoveries.splice(before, 1);
  recoveries.push({ what, ...took, msMax: READY_WITHIN_MS });
}
