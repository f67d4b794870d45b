import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import type { Recovery, Run } from '../fault-row.ts';
import { between } from '../load/random.ts';
import { cpuWaitMs } from '../oracles/cpu-waits.ts';

/** A drain is bounded by 30 s. */
const DEAD_WITHIN_MS = 40_000;

/** The load goes on for a while, of a length that only the seed knows. */
export async function runFor(
  { random, ending }: Pick<Run, 'random' | 'ending'>,
  lowMs: number,
  highMs: number = lowMs,
): Promise<void> {
  await delay(between(random, lowMs, highMs), undefined, { signal: ending });
}

/** Notes how long something took that ends now, and how long of that at least this process waited for a CPU. */
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

/** Resolves when a service that was told to die has become another process that takes work, with how long that one took. */
export async function readyAfterDeath(
  run: Run,
  name: string,
): Promise<{ readonly ms: number; readonly cpuWaitMs: number }> {
  const before = pidsOf(run).get(name);
  await eventually(
    () => {
      if (pidsOf(run).get(name) === before) throw new Error(`${name} does not die`);
    },
    { timeoutMs: DEAD_WITHIN_MS },
  );
  const bornAt = performance.now();
  await run.rig.supervisor.ready(name);
  return { ms: performance.now() - bornAt, cpuWaitMs: cpuWaitMs(pidsOf(run).get(name) ?? 0) };
}

/** Process ids by service. */
export function pidsOf({ rig }: Run): ReadonlyMap<string, number> {
  return new Map(rig.supervisor.list().map(({ name, pid }) => [name, pid]));
}

/** Healthy: none of the services may have become another process. */
export function checkSameProcesses(run: Run, before: ReadonlyMap<string, number>): void {
  for (const [name, pid] of pidsOf(run)) {
    if (before.get(name) !== pid)
      run.violations.push({ oracle: 'healthy', what: `${name} died and was started again` });
  }
}
