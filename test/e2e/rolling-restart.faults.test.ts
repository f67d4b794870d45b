/** @needs kafka redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROLLING_SHORT_PLAN } from '@tidings/tools/faults/plans';
import { startRollingRig, type RollingRig } from '@tidings/tools/faults/rigs/rolling-rig';
import { ROLLING_ROWS } from '@tidings/tools/faults/rows/rolling';
import { runRollingRow } from '@tidings/tools/faults/suites/rolling';

const rows = ROLLING_ROWS.map((row) => [`${row.id}: ${row.fault}`, row] as const);

let rig: RollingRig;
beforeAll(async () => {
  rig = await startRollingRig({ name: 'rolling', bus: 'kafka' });
}, 180_000);
afterAll(() => rig?.stop(), 60_000);

test.each(rows)(
  'no request fails twice; nothing is lost, sent twice or ambiguous; %s',
  async (_, row) => {
    const { violations, figures } = await runRollingRow(rig, row, {
      plan: ROLLING_SHORT_PLAN,
      seed: 1,
      isHurried: true,
    });

    expect(violations).toEqual([]);
    expect(figures).toMatchObject({
      failed: 0,
      twice: 0,
      lost: 0,
      unknown: 0,
      differences: 0,
      'wrong runs': 0,
    });
    expect(figures['mails of runs']).toBeGreaterThan(figures.runs / 2);
    expect(figures.runs).toBeGreaterThan(100);
    for (const count of [
      figures.messages,
      figures.recipients,
      figures['on devices'],
      figures.events,
    ])
      expect(count).toBeGreaterThan(ROLLING_SHORT_PLAN.users);
  },
  300_000,
);
