import { ROLLING_LONG_PLAN } from '../plans.ts';
import { startRollingRig } from '../rigs/rolling-rig.ts';
import { startFromVersion } from '../rigs/version.ts';
import { upgraded } from '../rows/rolling/upgrade.ts';
import { runRollingRow } from './rolling.ts';
import type { Suite } from './suite.ts';

/** Approximate seconds per row in the long form on two cores. */
const LONG_FORM_SECONDS: Readonly<Record<string, number>> = { U15: 300 };

/** An installation of another version, upgraded under the complete load of an installation. */
export const upgradeSuite: Suite = {
  rows: [{ id: 'U15', fault: 'an upgrade, rolled back and done again', brokers: 1 }],
  longPlan: ROLLING_LONG_PLAN,
  longFormSeconds: LONG_FORM_SECONDS,
  async start({ signal, from }) {
    if (from === undefined)
      throw new Error('name the version to upgrade from: --from and a commit or a checkout');
    return {
      // Each run needs an installation of its own, since a database is upgraded once.
      async run(_id, options) {
        const version = startFromVersion(from);
        const rig = await startRollingRig({ name: 'faults-upgrade', signal, version });
        try {
          return await runRollingRow(rig, upgraded(version), options);
        } finally {
          await rig.stop();
        }
      },
      stop: async () => undefined,
    };
  },
};
