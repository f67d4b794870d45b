/** @needs kafka redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rowsOfRun } from '../nightly/rows-of-run.ts';
import { DELIVERY_SHORT_PLAN } from '@tidings/tools/faults/plans';
import { startDeliveryRig, type DeliveryRig } from '@tidings/tools/faults/rigs/delivery-rig';
import { whyNoFakeClock } from '@tidings/tools/faults/rigs/fake-clock';
import { DELIVERY_ROWS } from '@tidings/tools/faults/rows/delivery';
import { runDeliveryRow } from '@tidings/tools/faults/suites/delivery';

/**
 * The most useful rows for their time; `npm run faults -- delivery` runs all of them, in the long
 * form.
 */
const SHORT_ROWS: readonly string[] = rowsOfRun({
  always: ['D4', 'D20', 'D25', 'D28', 'D29'],
  // D25 by another channel, and the death of one of two accounts.
  nightly: ['D26', 'D32', 'D33'],
});
const short = DELIVERY_ROWS.filter(({ id }) => SHORT_ROWS.includes(id)).map((row) => ({
  row,
  leftOut: row.leftOut?.() ?? null,
}));
const rows = short
  .filter(({ leftOut }) => leftOut === null)
  .map(({ row }) => [`${row.id}: ${row.fault}`, row] as const);

let rig: DeliveryRig;
beforeAll(async () => {
  rig = await startDeliveryRig({ name: 'delivery-faults', bus: 'kafka' });
}, 120_000);
afterAll(() => rig?.stop(), 60_000);

const leftOut = short.flatMap((one) =>
  one.leftOut === null ? [] : [`${one.row.id}: ${one.leftOut}`],
);
test(`skipped on this machine: ${leftOut.join('; ') || 'nothing'}`, () => {
  expect(rows.length + leftOut.length).toBe(SHORT_ROWS.length);
  expect(leftOut).toEqual(whyNoFakeClock() === null ? [] : [`D29: ${String(whyNoFakeClock())}`]);
});

test.each(rows)(
  'every recipient has an outcome and no message twice, and all counts are right; %s',
  async (_, row) => {
    const { violations, figures } = await runDeliveryRow(rig, row, {
      plan: DELIVERY_SHORT_PLAN,
      seed: 1,
    });

    expect(violations).toEqual([]);
    expect(figures).toMatchObject({ reachedTwice: 0, lost: 0, differences: 0 });
    expect(figures.recipients).toBeGreaterThan(DELIVERY_SHORT_PLAN.users);
  },
  300_000,
);
