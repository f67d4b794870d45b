import { PROCESSES_LONG_FORM_SECONDS, ROLLING_LONG_PLAN } from '../plans.ts';
import { startRollingRig } from '../rigs/rolling-rig.ts';
import { PROCESSES_ROWS } from '../rows/processes/index.ts';
import { WEBHOOKS_IN_FLIGHT_MAX } from '../rows/processes/two.ts';
import { runRollingRow } from './rolling.ts';
import type { Suite } from './suite.ts';

/** Two processes with every service each, under the complete load of an installation. */
export const processesSuite: Suite = {
  rows: PROCESSES_ROWS,
  longPlan: ROLLING_LONG_PLAN,
  longFormSeconds: PROCESSES_LONG_FORM_SECONDS,
  async start({ bus, signal }) {
    const rig = await startRollingRig({
      name: 'faults-processes',
      bus,
      processes: 'of all services',
      env: { WEBHOOK_ENDPOINT_CONCURRENCY: String(WEBHOOKS_IN_FLIGHT_MAX) },
      signal,
    });
    return {
      async run(id, options) {
        const row = PROCESSES_ROWS.find((one) => one.id === id);
        if (row === undefined) throw new Error(`unknown row: ${id}`);
        return runRollingRow(rig, row, options);
      },
      stop: () => rig.stop(),
    };
  },
};
