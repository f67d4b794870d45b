import { CONSUMERS, FAR_GATEWAY } from '../../rigs/ingest-rig.ts';
import { isAcceptedByTheSecondTry } from '../../load/ledger.ts';
import type { IngestRow } from './ingest-row.ts';
import { noteRecovery, readyAfterDeath } from '../steps.ts';

/**
 * Restart groups in order; services of a group restart in parallel, since they do not depend on
 * each other.
 */
const TURNS = [
  ['gateway'],
  [FAR_GATEWAY],
  ...CONSUMERS.map((consumer) => [consumer]),
  ['campaigns', 'api', 'scheduler'],
  ['worker-email', 'worker-sms', 'worker-web-hook'],
  ['webhooks', 'client-api'],
];
const RESTARTED_WITHIN_MS = 60_000;

export const rollingRestart: IngestRow = {
  id: 'I15',
  fault: 'rolling restart of every service',
  brokers: 1,
  target: 'balanced',
  mayBreak: true,
  retriesAll: true,
  async inject(run) {
    const { rig, load, violations } = run;
    const startedAt = performance.now();
    for (const names of TURNS) {
      await Promise.all(
        names.map((name) => {
          rig.supervisor.kill(name, 'SIGTERM');
          return readyAfterDeath(run, name);
        }),
      );
    }
    noteRecovery(run, {
      what: 'everything restarted',
      ms: performance.now() - startedAt,
      msMax: RESTARTED_WITHIN_MS,
    });
    await load.stop();
    const failed = load.ledger.entries.filter((entry) => !isAcceptedByTheSecondTry(entry));
    if (failed.length > 0)
      violations.push({
        oracle: 'answers',
        what: `${failed.length} batches needed more than one retry`,
      });
  },
};
