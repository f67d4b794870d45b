import { untilAllSend } from '../delivery/steps.ts';
import { noteRecovery } from '../steps.ts';
import type { Version } from '../../rigs/version.ts';
import { restartEveryService } from './every-service.ts';
import type { RollingRow } from './rolling-row.ts';

const PREPARED_WITHIN_MS = 60_000;

/** What `helm upgrade` and `helm rollback` do: prepare the stores, then replace service by service. */
export const upgraded = (version: Version): RollingRow => ({
  id: 'U15',
  fault: 'an upgrade from another version, rolled back and done again',
  brokers: 1,
  async inject(run) {
    const startedAt = performance.now();
    await version.prepare();
    noteRecovery(run, {
      what: 'the stores prepared while the version before works',
      ms: performance.now() - startedAt,
      msMax: PREPARED_WITHIN_MS,
    });
    await untilAllSend(run);
    version.useThis();
    await restartEveryService(run, 'every service upgraded');
    await untilAllSend(run);
    version.useBefore();
    await restartEveryService(run, 'every service rolled back');
    await untilAllSend(run);
    version.useThis();
    await restartEveryService(run, 'every service upgraded again');
    await untilAllSend(run);
  },
});
