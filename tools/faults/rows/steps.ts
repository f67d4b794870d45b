import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import type { Recovery, Run } from '../fault-row.ts';
import { between } from '../load/random.ts';
import { cpuWaitMs } from '../oracles/cpu-waits.ts';

/** A drain takes at most 30 s. */
const DEAD_WITHIN_MS = 40_000;
const POLL_MS = 250;

/** Lets the load continue for a random time from the seed. */
export async function runFor(
  { random, ending }: Pick<Run, 'random' | 'ending'>,
  lowMs: number,
  highMs: number = lowMs,
): Promise<void> {
  await delay(between(random, lowMs, highMs), undefined, { signal: ending });
}

/** Records a duration that ends now, and the time that this process waited for a CPU meanwhile. */
export function noteRecovery(
  { rig, recoveries }: Run,
  { what, ms, msMax }: Omit<Recovery, 'cpuWaitMs'>,
): void {
  const to = performance.now();
  recoveries.push({
    what,
    ms,
    msMax,
    cpuWaitMs: rig.cpuWaits.longestMs([], { from: to - (ms ?? 0), to }),
  });
}

/**
 * Milliseconds from `from` until the condition held. Null after twice `msMax`, so that a late one
 * is measured.
 */
export async function measureUntil(
  isSo: () => Promise<boolean>,
  { msMax, from = performance.now() }: { readonly msMax: number; readonly from?: number },
): Promise<number | null> {
  while (performance.now() - from < 2 * msMax) {
    if (await isSo()) return performance.now() - from;
    await delay(POLL_MS);
  }
  return null;
}

/** Resolves when a killed service runs as a new, ready process, with its start time. */
export async function readyAfterDeath(
  run: Run,
  name: string,
): Promise<{ readonly ms: number; readonly cpuWaitMs: number }> {
  const before = listPids(run).get(name);
  await eventually(
    () => {
      if (listPids(run).get(name) === before) throw new Error(`${name} does not exit`);
    },
    { timeoutMs: DEAD_WITHIN_MS },
  );
  const bornAt = performance.now();
  await run.rig.supervisor.ready(name);
  return { ms: performance.now() - bornAt, cpuWaitMs: cpuWaitMs(listPids(run).get(name) ?? 0) };
}

/** Process ids by service. */
export function listPids({ rig }: Run): ReadonlyMap<string, number> {
  return new Map(rig.supervisor.list().map(({ name, pid }) => [name, pid]));
}

/** Healthy: no service was restarted. */
export function checkSameProcesses(run: Run, before: ReadonlyMap<string, number>): void {
  for (const [name, pid] of listPids(run)) {
    if (before.get(name) !== pid)
      run.violations.push({ oracle: 'healthy', what: `${name} was restarted` });
  }
}
