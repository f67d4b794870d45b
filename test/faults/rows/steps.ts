import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import { watchProgress, type Progress } from '../oracles/lag.ts';
import { between } from '../load/random.ts';
import { cpuWaitMs } from '../oracles/cpu-waits.ts';
import type { Recovery, Run } from '../fault-row.ts';

const FIRST_ANSWER_WITHIN_MS = 60_000;
/** A drain is bounded by 30 s. */
const DEAD_WITHIN_MS = 40_000;

/** The load goes on for a while, of a length that only the seed knows. */
export async function goOn({ random, ending }: Pick<Run, 'random' | 'ending'>, lowMs: number, highMs: number = lowMs): Promise<void> {
  await delay(between(random, lowMs, highMs), undefined, { signal: ending });
}

/** Resolves when `count` requests sent from now on were answered 200. */
export async function untilAccepted({ load }: Run, count: number): Promise<void> {
  const { attempts } = load.ledger;
  const sentBefore = attempts.length;
  await eventually(
    () => {
      if (attempts.slice(sentBefore).filter(({ status }) => status === 200).length < count) throw new Error('no requests are accepted');
    },
    { timeoutMs: FIRST_ANSWER_WITHIN_MS, intervalMs: 50 },
  );
}

/** Notes how long something took that ends now, and how long of that at least this process waited for a CPU. */
export function noteRecovery({ rig, recoveries }: Run, { what, ms, msMax }: Omit<Recovery, 'cpuWaitMs'>): void {
  const to = performance.now();
  recoveries.push({ what, ms, msMax, cpuWaitMs: rig.cpuWaits.longestMs([], { from: to - (ms ?? 0), to }) });
}

/** Notes how long after `from` the first request was answered 200. */
export async function noteFirstAccepted(run: Run, { what, from, msMax }: { readonly what: string; readonly from: number; readonly msMax: number }): Promise<void> {
  const deadline = from + FIRST_ANSWER_WITHIN_MS;
  let first: number | undefined;
  while (first === undefined && performance.now() < deadline) {
    await delay(20);
    const { acceptedAt } = run.load.ledger;
    if ((acceptedAt.at(-1) ?? 0) > from) first = acceptedAt.find((at) => at > from);
  }
  noteRecovery(run, { what, ms: first === undefined ? null : first - from, msMax });
}

/** Notes how long a partition with records to read stood still at most while something is done. */
export async function noteStandstill(run: Run, { msMax, windowMs, during }: StandstillOptions): Promise<Progress> {
  const watch = watchProgress(run.rig.bus, windowMs);
  const progress = await during().then(watch.stop, async (error: unknown) => {
    await watch.stop();
    throw error;
  });
  const { longestStandstillMs: ms, where, endedAt } = progress;
  run.recoveries.push({ what: `longest standstill of a partition (${where})`, ms, msMax, cpuWaitMs: run.rig.cpuWaits.longestMs([where.replace(/\/.*/, '')], { from: endedAt - ms, to: endedAt }) });
  return progress;
}

type StandstillOptions = { readonly msMax: number; /** See `Progress`. */ readonly windowMs?: number; during(): Promise<void> };

/** Resolves when a service that was told to die has become another process that takes work, with how long that one took. */
export async function readyAfterDeath(run: Run, name: string): Promise<{ readonly ms: number; readonly cpuWaitMs: number }> {
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

/** O8: none of the services may have become another process. */
export function checkSameProcesses(run: Run, before: ReadonlyMap<string, number>): void {
  for (const [name, pid] of pidsOf(run)) {
    if (before.get(name) !== pid) run.violations.push({ oracle: 'O8', what: `${name} died and was started again` });
  }
}
