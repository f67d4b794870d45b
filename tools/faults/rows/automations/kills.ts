import { ENGINES } from '../../rigs/automations-rig.ts';
import { CONSUMERS } from '../../rigs/ingest-rig.ts';
import { readyAfterDeath, runFor } from '../steps.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';
import { waitsLeft } from './steps.ts';

export const enginesKilled: AutomationsRow = {
  id: 'A4',
  fault: 'kill -9 of two engines, again and again',
  brokers: 1,
  async inject(run) {
    await killThroughout(run, ENGINES);
  },
};

export const consumersKilled: AutomationsRow = {
  id: 'A2',
  fault: 'kill -9 of the consumers, again and again',
  brokers: 1,
  plan: { kills: 20 },
  async inject(run) {
    await killThroughout(run, CONSUMERS);
  },
};

/** What is left of a row after its last request: a minute's delay, and a minute's wait. */
const TAIL_MS = 120_000;
const PAUSE_MS = { least: 100, most: 3_000 };

/** Spreads the kills over the time in which people enter and their waits end. */
async function killThroughout(run: AutomationsRun, names: readonly string[]): Promise<void> {
  const { plan, rig, load } = run;
  const feedMs = ((load?.carts.requests.length ?? 0) / plan.requestsPerSecond) * 1_000;
  const kills = Math.ceil(plan.kills / names.length);
  const mostMs = Math.min(PAUSE_MS.most, (feedMs + TAIL_MS) / kills);
  let inProgress = 0;
  // Each by itself: now and then all are away.
  await Promise.all(
    names.map(async (name) => {
      for (let kill = 0; kill < kills; kill += 1) {
        await runFor(run, PAUSE_MS.least, mostMs);
        if ((await waitsLeft(run)) > 0) inProgress += 1;
        rig.supervisor.kill(name, 'SIGKILL');
        await readyAfterDeath(run, name);
      }
    }),
  );
  run.notes.push(
    `${kills * names.length} kills, ${inProgress} of them while people entered or waited`,
  );
  if (inProgress === 0)
    run.violations.push({ oracle: 'healthy', what: 'no kill met a run: the fault had no effect' });
}
