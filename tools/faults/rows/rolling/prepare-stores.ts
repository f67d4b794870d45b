import { readlinkSync } from 'node:fs';
import type { Run } from '../../fault-row.ts';
import type { Version } from '../../rigs/version.ts';
import { noteRecovery } from '../steps.ts';
import type { RollingRun } from './rolling-row.ts';

const PREPARED_WITHIN_MS = 60_000;

/** What the prepare Job of an upgrade does, while the version before works. */
export async function prepareStores(run: RollingRun, version: Version): Promise<void> {
  const startedAt = performance.now();
  await version.prepare();
  noteRecovery(run, {
    what: 'the stores prepared while the version before works',
    ms: performance.now() - startedAt,
    msMax: PREPARED_WITHIN_MS,
  });
}

/** @throws if one of these processes runs from another checkout: the row would upgrade nothing */
export function checkCheckout(
  { rig }: Pick<Run, 'rig'>,
  { of, is }: { of(name: string): boolean; readonly is: string },
): void {
  for (const { name, pid } of rig.supervisor.list().filter((one) => of(one.name))) {
    const checkout = readlinkSync(`/proc/${pid}/cwd`);
    if (checkout !== is) throw new Error(`${name} runs from ${checkout}, not from ${is}`);
  }
}
