/** @needs redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AUTOMATIONS_SHORT_PLAN } from '@tidings/tools/faults/plans';
import { startAutomationsRig } from '@tidings/tools/faults/rigs/automations-rig';
import { AUTOMATIONS_ROWS } from '@tidings/tools/faults/rows/automations';
import { runAutomationsRow } from '@tidings/tools/faults/suites/automations';
import { rowsOfRun } from '../nightly/rows-of-run.ts';

/** On the bus in Postgres; `npm run faults -- automations` runs all rows, in the long form. */
const SHORT_ROWS: readonly string[] = rowsOfRun({
  always: ['A4', 'A35', 'A36'],
  nightly: ['A2', 'A9', 'A15', 'A17', 'A21', 'A34'],
});
const rows = AUTOMATIONS_ROWS.filter(({ id }) => SHORT_ROWS.includes(id)).map(
  (row) => [`${row.id}: ${row.fault}`, row] as const,
);

let rig: Awaited<ReturnType<typeof startAutomationsRig>>;
beforeAll(async () => {
  rig = await startAutomationsRig({ name: 'automations-faults', bus: 'postgres' });
}, 120_000);
afterAll(() => rig?.stop(), 60_000);

test.each(rows)(
  'each send that a run passes is one mail, and all is as the interpreter says; %s',
  async (_, row) => {
    const { violations, figures } = await runAutomationsRow(rig, row, {
      plan: AUTOMATIONS_SHORT_PLAN,
      seed: 1,
      isHurried: true,
    });

    expect(violations).toEqual([]);
    expect(figures).toMatchObject({ repeats: 0, missing: 0, differences: 0 });
    expect(figures.runs).toBeGreaterThanOrEqual(AUTOMATIONS_SHORT_PLAN.users);
    expect(figures.mails).toBeGreaterThanOrEqual(AUTOMATIONS_SHORT_PLAN.users);
  },
  300_000,
);
