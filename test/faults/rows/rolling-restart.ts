import { CONSUMERS, FAR_GATEWAY } from '../rig.ts';
import { isAcknowledged } from '../load/ledger.ts';
import type { FaultRow } from '../fault-row.ts';
import { goOn } from './steps.ts';

const DEPLOYMENTS = ['gateway', FAR_GATEWAY, ...CONSUMERS, 'campaigns', 'worker-email', 'dashboard'];
const READY_WITHIN_MS = 30_000;

export const rollingRestart: FaultRow = {
  id: 'F15',
  fault: 'rolling restart of every service',
  brokers: 1,
  target: 'balanced',
  mayBreak: true,
  retriesAll: true,
  async inject(run) {
    const { rig, load, recoveries, violations } = run;
    let slowestMs = 0;
    for (const name of DEPLOYMENTS) {
      const before = pidOf(run.rig, name);
      const startedAt = performance.now();
      rig.supervisor.kill(name, 'SIGTERM');
      while (pidOf(rig, name) === before) await goOn(run, 50);
      await rig.supervisor.ready(name);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }
    recoveries.push({ what: 'ready after a restart', ms: slowestMs, msMax: READY_WITHIN_MS });
    await load.stop();
    const failed = load.ledger.entries.filter((entry) => !isAcknowledged(entry) || entry.attempts.length > 2);
    if (failed.length > 0) violations.push({ oracle: 'O7', what: `${failed.length} batches needed more than one more try` });
  },
};

function pidOf(rig: Parameters<FaultRow['inject']>[0]['rig'], name: string): number | undefined {
  return rig.supervisor.list().find((service) => service.name === name)?.pid;
}
