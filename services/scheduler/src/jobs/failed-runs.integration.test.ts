import { afterAll, expect, jest, test } from '@jest/globals';
import { metricsRegistry, systemIds } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import { runOnce } from '../testing/run-once.ts';
import { failedRuns } from './failed-runs.ts';

// A separate database: the job counts runs of all applications.
jest.setTimeout(120_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

async function readMetric(): Promise<number | undefined> {
  await runOnce(failedRuns(), { db });
  const metric = await metricsRegistry.getSingleMetric('tidings_automation_runs_failed')?.get();
  return metric?.values[0]?.value;
}

/** An automation with a version, some of whose runs failed on two days. */
async function createFailures(failures: readonly number[]): Promise<void> {
  const [automationId, applicationId] = [systemIds.uuid(), systemIds.uuid()];
  await db.sql.query(
    `insert into automation_versions (automation_id, version, application_id, definition, created_by)
     values ($1, 1, $2, '{}', 'test')`,
    [automationId, applicationId],
  );
  await db.sql.query(
    `insert into automation_counters (automation_id, version, node, outcome, day, shard, application_id, n)
     select $1, 1, counted.node, counted.outcome, current_date - day::int, 0, $2, n
     from unnest($3::int[]) with ordinality as failed(n, day),
       (values ('', 'failed'), ('mail', 'failed'), ('', 'entered')) as counted(node, outcome)`,
    [automationId, applicationId, failures],
  );
}

test('failed runs of all automations are counted once, over all days', async () => {
  const before = await readMetric();
  await createFailures([2, 1]);
  await createFailures([4]);

  expect([before, await readMetric()]).toEqual([0, 7]);
});
