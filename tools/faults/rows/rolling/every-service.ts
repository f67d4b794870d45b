import { BALANCED, successorOf, type BalancedService } from '../../rigs/rolling-rig.ts';
import { cpuWaitMs } from '../../oracles/cpu-waits.ts';
import { untilAllSend } from '../delivery/steps.ts';
import { listPids, readyAfterDeath, runFor } from '../steps.ts';
import type { RollingRow, RollingRun } from './rolling-row.ts';

/**
 * Restart groups in order; services of a group restart in parallel, since they do not depend on
 * each other.
 */
const TURNS: readonly (readonly string[])[] = [
  ['gateway'],
  ['client-api'],
  ['api'],
  ['users-consumer', 'events-consumer'],
  ['campaigns', 'webhooks', 'scheduler'],
  ['automation-engine'],
  ['worker-email', 'worker-sms', 'worker-web-hook'],
  ['worker-in-app', 'worker-on-site', 'worker-web-push', 'worker-app-push'],
];
/** Replaces providers and devices; not restarted. */
export const OTHERS: readonly string[] = ['sandbox'];
/** Without waits for a CPU, some 35 s. HTTP services start twice. */
const RESTARTED_WITHIN_MS = 75_000;
const WITHIN_MS = 700;

/** A graceful stop leaves no ambiguous attempts, so none are allowed. */
export const everyServiceRestarted: RollingRow = {
  id: 'R15',
  fault: 'repeated rolling restarts of every service',
  brokers: 1,
  async inject(run) {
    for (let round = 1; round <= run.plan.kills; round += 1) {
      await restartEveryService(run, `every service restarted, round ${round}`);
      await untilAllSend(run);
    }
  },
};

/**
 * @param beside additional processes that continue
 * @throws if a service belongs to no restart group
 */
export async function restartEveryService(
  run: RollingRun,
  what: string,
  beside: readonly string[] = [],
): Promise<void> {
  const running = run.rig.supervisor.list().map(({ name }) => name);
  const left = running.filter((name) => ![...TURNS.flat(), ...OTHERS, ...beside].includes(name));
  if (left.length > 0) throw new Error(`no restart group contains ${left.join(', ')}`);
  const startedAt = performance.now();
  // Of each turn that of the process that waited longest while it started.
  let waitedMs = 0;
  for (const names of TURNS) {
    // At a random moment of the other activity.
    await runFor(run, 0, WITHIN_MS);
    const waits = await Promise.all(
      // An earlier version has fewer services.
      names
        .filter((name) => running.includes(name))
        .map((name) => (isBalanced(name) ? restartBesideSuccessor(run, name) : restart(run, name))),
    );
    waitedMs += Math.max(0, ...waits);
  }
  const ms = performance.now() - startedAt;
  run.recoveries.push({ what, ms, msMax: RESTARTED_WITHIN_MS, cpuWaitMs: waitedMs });
}

const isBalanced = (name: string): name is BalancedService =>
  (BALANCED as readonly string[]).includes(name);

/** Returns how long the new process waited for a CPU until it was ready, in milliseconds. */
async function restart(run: RollingRun, name: string): Promise<number> {
  run.rig.supervisor.kill(name, 'SIGTERM');
  return (await readyAfterDeath(run, name)).cpuWaitMs;
}

/**
 * Starts a second process before stopping the first, and stops it after the restart: both drain
 * under load.
 */
async function restartBesideSuccessor(run: RollingRun, name: BalancedService): Promise<number> {
  const { supervisor, balancers } = run.rig;
  const successor = successorOf(name);
  const { instances } = balancers[name];
  instances[successor] = await supervisor.add({ name: successor, program: name });
  const waitedMs = cpuWaitMs(listPids(run).get(successor) ?? 0);
  try {
    return waitedMs + (await restart(run, name));
  } finally {
    await supervisor.remove(successor);
    delete instances[successor];
  }
}
