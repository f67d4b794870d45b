import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import { watchProgress } from '../oracles/lag.ts';
import { between } from '../load/random.ts';
import type { Run } from '../fault-row.ts';

const FIRST_ANSWER_WITHIN_MS = 60_000;

/** The load goes on for a while, of a length that only the seed knows. */
export async function goOn({ random }: Pick<Run, 'random'>, lowMs: number, highMs: number = lowMs): Promise<void> {
  await delay(between(random, lowMs, highMs));
}

/** Resolves when `count` requests sent from now on were answered 200. */
export async function untilAccepted({ load }: Run, count: number): Promise<void> {
  const from = performance.now();
  await eventually(
    () => {
      if (load.ledger.attempts().filter(({ sentAt, status }) => sentAt > from && status === 200).length < count) throw new Error('no requests are accepted');
    },
    { timeoutMs: FIRST_ANSWER_WITHIN_MS, intervalMs: 50 },
  );
}

/** Notes how long after `from` the first request was answered 200. */
export async function noteFirstAccepted(run: Run, { what, from, msMax }: { readonly what: string; readonly from: number; readonly msMax: number }): Promise<void> {
  const deadline = from + FIRST_ANSWER_WITHIN_MS;
  let first: number | undefined;
  while (first === undefined && performance.now() < deadline) {
    await delay(20);
    first = run.load.ledger.attempts().find(({ status, answeredAt = 0 }) => status === 200 && answeredAt > from)?.answeredAt;
  }
  run.recoveries.push({ what, ms: first === undefined ? null : first - from, msMax });
}

/** Notes how long a partition with records to read stood still at most while something is done. */
export async function noteStandstill({ rig, recoveries }: Run, { msMax, during }: { readonly msMax: number; during(): Promise<void> }): Promise<void> {
  const progress = watchProgress(rig.bus);
  const { longestStandstillMs, where } = await during().then(progress.stop, async (error: unknown) => {
    await progress.stop();
    throw error;
  });
  recoveries.push({ what: `longest standstill of a partition (${where})`, ms: longestStandstillMs, msMax });
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
