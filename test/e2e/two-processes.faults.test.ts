/** @needs redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROLLING_SHORT_PLAN } from '@tidings/tools/faults/plans';
import { startRollingRig, type RollingRig } from '@tidings/tools/faults/rigs/rolling-rig';
import { processFrozen } from '@tidings/tools/faults/rows/processes/frozen';
import { runRollingRow } from '@tidings/tools/faults/suites/rolling';

let rig: RollingRig;
beforeAll(async () => {
  rig = await startRollingRig({
    name: 'two-processes',
    bus: 'postgres',
    processes: 'of all services',
  });
}, 180_000);
afterAll(() => rig?.stop(), 60_000);

test(`nothing is lost or sent twice: ${processFrozen.id}, ${processFrozen.fault}`, async () => {
  const { violations, figures } = await runRollingRow(rig, processFrozen, {
    plan: ROLLING_SHORT_PLAN,
    seed: 1,
    isHurried: true,
  });

  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ failed: 0, twice: 0, lost: 0, differences: 0, 'wrong runs': 0 });
  expect(figures.runs).toBeGreaterThan(100);
  for (const count of [figures.messages, figures.recipients, figures['on devices'], figures.events])
    expect(count).toBeGreaterThan(ROLLING_SHORT_PLAN.users);
}, 300_000);
