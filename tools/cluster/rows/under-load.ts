import { evaluateLoad, type Allowance } from '../load/evaluate-load.ts';
import { startCaller } from '../load/start-caller.ts';
import { nameOf } from '../images.ts';
import type { RowResult, Stage } from '../row.ts';
import { setTimeout as delay } from 'node:timers/promises';

const BATCHES_PER_SECOND = 20;
const PUSHES_PER_SECOND = 4;
const BEFORE_MS = 5_000;
const AFTER_MS = 10_000;

export type Disruption = {
  readonly name: string;
  /** A node to avoid for the caller. */ readonly awayFrom?: string;
  readonly allowance?: Allowance;
};

/** Runs a disruption under load, then compares all responses with the stored results. */
export async function underLoad(
  stage: Stage,
  { name, awayFrom, allowance }: Disruption,
  act: () => Promise<RowResult>,
): Promise<RowResult> {
  const application = await stage.application();
  const caller = await startCaller(stage.cluster, {
    application,
    image: nameOf(stage.images.now),
    prefix: name,
    batchesPerSecond: BATCHES_PER_SECOND,
    pushesPerSecond: PUSHES_PER_SECOND,
    ...(awayFrom !== undefined && { awayFrom }),
  });
  await delay(BEFORE_MS);
  const startedAt = performance.now();
  const seen = await act();
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  await delay(AFTER_MS);
  const judged = await evaluateLoad(stage.external, application, {
    prefix: name,
    report: await caller.stop(),
    ...(allowance !== undefined && { allowance }),
  });
  return {
    notes: [`${seconds} s`, ...(seen.notes ?? []), ...judged.notes],
    violations: [...(seen.violations ?? []), ...judged.violations],
  };
}
