import { countFailedRuns } from '@tidings/automations/failed-runs';
import { Gauge } from '@tidings/platform';
import type { Job } from '../job.ts';

const failed = new Gauge({
  name: 'tidings_automation_runs_failed',
  help: 'Runs of automations that were given up, and not tried again since.',
});

/** Counts what an operator must see: runs that go on only if someone tries them again. */
export const failedRuns = (): Job => ({
  name: 'failed-runs',
  intervalMs: 30_000,
  bound: { itemsPerStep: 1, stepsMax: 1 },
  replicaMode: 'repeat',
  async run({ db }) {
    failed.set(await countFailedRuns(db.sql));
  },
});
