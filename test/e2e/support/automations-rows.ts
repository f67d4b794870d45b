import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AUTOMATIONS_SHORT_PLAN } from '@tidings/tools/faults/plans';
import { startAutomationsRig } from '@tidings/tools/faults/rigs/automations-rig';
import { AUTOMATIONS_ROWS } from '@tidings/tools/faults/rows/automations';
import { runAutomationsRow } from '@tidings/tools/faults/suites/automations';

/** Tests of rows of `npm run faults -- automations`, in the short form. */
export function testAutomationsRows(
  started: Parameters<typeof startAutomationsRig>[0],
  ids: readonly string[],
): void {
  const rows = AUTOMATIONS_ROWS.filter(({ id }) => ids.includes(id)).map(
    (row) => [`${row.id}: ${row.fault}`, row] as const,
  );

  let rig: Awaited<ReturnType<typeof startAutomationsRig>>;
  beforeAll(async () => {
    rig = await startAutomationsRig(started);
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
}
