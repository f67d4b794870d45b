import { CONSUMERS, FAR_GATEWAY } from '../rig.ts';
import { isAcknowledged } from '../load/ledger.ts';
import type { FaultRow } from '../fault-row.ts';
import { noteRecovery, readyAfterDeath } from './steps.ts';

const DEPLOYMENTS = ['gateway', FAR_GATEWAY, ...CONSUMERS, 'campaigns', 'worker-email', 'dashboard'];
const RESTARTED_WITHIN_MS = 60_000;

export const rollingRestart: FaultRow = {
  id: 'F15',
  fault: 'rolling restart of every service',
  brokers: 1,
  target: 'balanced',
  mayBreak: true,
  retriesAll: true,
  async inject(run) {
    const { rig, load, violations } = run;
    const startedAt = performance.now();
    for (const name of DEPLOYMENTS) {
      rig.supervisor.kill(name, 'SIGTERM');
      await readyAfterDeath(run, name);
    }
    noteRecovery(run, { what: 'everything restarted', ms: performance.now() - startedAt, msMax: RESTARTED_WITHIN_MS });
    await load.stop();
    const failed = load.ledger.entries.filter((entry) => !isAcknowledged(entry) || entry.attempts.length > 2);
    if (failed.length > 0) violations.push({ oracle: 'O7', what: `${failed.length} batches needed more than one more try` });
  },
};
