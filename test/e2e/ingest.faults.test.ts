/** @needs kafka redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rowsOfRun } from '../nightly/rows-of-run.ts';
import { INGEST_SHORT_PLAN, SHORT_PATIENCE } from '@tidings/tools/faults/plans';
import { startIngestRig, type IngestRig } from '@tidings/tools/faults/rigs/ingest-rig';
import { INGEST_ROWS } from '@tidings/tools/faults/rows/ingest';
import { runIngestRow } from '@tidings/tools/faults/suites/ingest';

/**
 * Rows that need one broker and little time; `npm run faults -- ingest` runs all of them, in the
 * long form.
 */
const SHORT_ROWS: readonly string[] = rowsOfRun({
  always: ['I1', 'I2', 'I5', 'I6', 'I8', 'I9', 'I10', 'I18', 'I21'],
  // Every service starts again. D28 is of the same kind, and kafka-outage starts a consumer without Kafka.
  nightly: ['I28'],
});
const rows = INGEST_ROWS.filter(({ id }) => SHORT_ROWS.includes(id)).map(
  (row) => [`${row.id}: ${row.fault}`, row] as const,
);

let rig: IngestRig;
beforeAll(async () => {
  rig = await startIngestRig({ brokers: 1, name: 'faults', bus: 'kafka', env: SHORT_PATIENCE });
}, 120_000);
afterAll(() => rig?.stop(), 60_000);

test.each(rows)(
  'nothing is lost, doubled or invented, and all recovers in time; %s',
  async (_, row) => {
    const result = await runIngestRow(rig, row, { plan: INGEST_SHORT_PLAN, seed: 1 });

    expect(result.violations).toEqual([]);
    expect(result.messages).toBeGreaterThan(INGEST_SHORT_PLAN.requestsPerSecond);
  },
  180_000,
);
