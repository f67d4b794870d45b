import { ROLLING_LONG_PLAN, UPGRADE_LONG_FORM_SECONDS } from '../plans.ts';
import { startRollingRig } from '../rigs/rolling-rig.ts';
import { startFromVersion } from '../rigs/version.ts';
import { TWO_VERSIONS, twoVersions } from '../rows/rolling/two-versions.ts';
import { UPGRADE, upgraded } from '../rows/rolling/upgrade.ts';
import { runRollingRow } from './rolling.ts';
import type { Suite } from './suite.ts';

/** An installation of another version, upgraded under the complete load of an installation. */
export const upgradeSuite: Suite = {
  rows: [UPGRADE, TWO_VERSIONS],
  longPlan: ROLLING_LONG_PLAN,
  longFormSeconds: UPGRADE_LONG_FORM_SECONDS,
  needsFrom: true,
  async start({ bus, signal, from = '' }) {
    return {
      // Each run needs an installation of its own, since a database is upgraded once.
      async run(id, options) {
        const version = startFromVersion(from);
        const rig = await startRollingRig({ name: 'faults-upgrade', bus, signal, version });
        try {
          const row = id === UPGRADE.id ? upgraded(version) : twoVersions(version);
          return await runRollingRow(rig, row, options);
        } finally {
          await rig.stop();
        }
      },
      stop: async () => undefined,
    };
  },
};
