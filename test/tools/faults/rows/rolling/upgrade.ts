import { readlinkSync } from 'node:fs';
import type { RowHead } from '../../fault-row.ts';
import type { Version } from '../../rigs/version.ts';
import { untilAllSend } from '../delivery/steps.ts';
import { noteRecovery } from '../steps.ts';
import { OTHERS, restartEveryService } from './every-service.ts';
import type { RollingRow, RollingRun } from './rolling-row.ts';

const PREPARED_WITHIN_MS = 60_000;

export const UPGRADE: RowHead = {
  id: 'U15',
  fault: 'an upgrade from another version, rolled back and done again',
  brokers: 1,
};

/** What `helm upgrade` and `helm rollback` do: prepare the stores, then replace service by service. */
export const upgraded = (version: Version): RollingRow => ({
  ...UPGRADE,
  async inject(run) {
    const replaceAll = async (what: string): Promise<void> => {
      await restartEveryService(run, what);
      checkCheckouts(run, version);
      await untilAllSend(run);
    };
    checkCheckouts(run, version);
    const startedAt = performance.now();
    await version.prepare();
    noteRecovery(run, {
      what: 'the stores prepared while the version before works',
      ms: performance.now() - startedAt,
      msMax: PREPARED_WITHIN_MS,
    });
    await untilAllSend(run);
    version.useThis();
    await replaceAll('every service upgraded');
    version.useBefore();
    await replaceAll('every service rolled back');
    version.useThis();
    await replaceAll('every service upgraded again');
  },
});

/** @throws if a service runs from another checkout: the row would upgrade nothing */
function checkCheckouts({ rig }: RollingRun, version: Version): void {
  for (const { name, pid } of rig.supervisor.list()) {
    const checkout = readlinkSync(`/proc/${pid}/cwd`);
    if (!OTHERS.includes(name) && checkout !== version.rootDir())
      throw new Error(`${name} runs from ${checkout}, not from ${version.rootDir()}`);
  }
}
