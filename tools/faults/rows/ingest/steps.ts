import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import { watchProgress, type Progress } from '../../oracles/ingest/lag.ts';
import { noteRecovery } from '../steps.ts';
import type { IngestRun } from './ingest-row.ts';

const FIRST_ANSWER_WITHIN_MS = 60_000;
/** Maximum time from the return of the bus to the first 200. */
export const BACK_WITHIN_MS = 5_000;

/** Resolves when `count` requests sent from now on were accepted. */
export async function untilAccepted({ load }: IngestRun, count: number): Promise<void> {
  const { attempts } = load.ledger;
  const sentBefore = attempts.length;
  await eventually(
    () => {
      if (attempts.slice(sentBefore).filter(({ status }) => status === 200).length < count)
        throw new Error('no requests are accepted');
    },
    { timeoutMs: FIRST_ANSWER_WITHIN_MS, intervalMs: 50 },
  );
}

/** Records the time from `from` to the first 200. */
export async function noteFirstAccepted(
  run: IngestRun,
  { what, from, msMax }: { readonly what: string; readonly from: number; readonly msMax: number },
): Promise<void> {
  const deadline = from + FIRST_ANSWER_WITHIN_MS;
  let first: number | undefined;
  while (first === undefined && performance.now() < deadline) {
    await delay(20);
    const { acceptedAt } = run.load.ledger;
    if ((acceptedAt.at(-1) ?? 0) > from) first = acceptedAt.find((at) => at > from);
  }
  noteRecovery(run, { what, ms: first === undefined ? null : first - from, msMax });
}

/** Records the longest standstill of a partition with unread records during `work`. */
export async function noteStandstill(
  run: IngestRun,
  { msMax, windowMs, during }: StandstillOptions,
): Promise<Progress> {
  const watch = watchProgress(run.rig.bus, windowMs);
  const progress = await during().then(watch.stop, async (error: unknown) => {
    await watch.stop();
    throw error;
  });
  const { longestStandstillMs: ms, where, endedAt } = progress;
  run.recoveries.push({
    what: `longest standstill of a partition (${where})`,
    ms,
    msMax,
    cpuWaitMs: run.rig.cpuWaits.longestMs([where.replace(/\/.*/, '')], {
      from: endedAt - ms,
      to: endedAt,
    }),
  });
  return progress;
}

type StandstillOptions = {
  readonly msMax: number;
  /** See `Progress`. */ readonly windowMs?: number;
  during(): Promise<void>;
};
