import type { RowHead } from '../../fault-row.ts';
import type { Version } from '../../rigs/version.ts';
import { untilAllSend } from '../delivery/steps.ts';
import { OTHERS, restartEveryService } from './every-service.ts';
import { checkCheckout, prepareStores } from './prepare-stores.ts';
import type { RollingRow, RollingRun } from './rolling-row.ts';

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
    await prepareStores(run, version);
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
function checkCheckouts(run: RollingRun, version: Version): void {
  checkCheckout(run, { of: (name) => !OTHERS.includes(name), is: version.rootDir() });
}
