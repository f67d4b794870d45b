import { workerName } from '@tidings/contracts/topics';
import { ENGINES } from '../../rigs/automations-rig.ts';
import { CONSUMERS } from '../../rigs/ingest-rig.ts';
import { readyAfterDeath, runFor } from '../steps.ts';
import type { AutomationsRow } from './automations-row.ts';
import { untilFed, waitsLeft } from './steps.ts';

/** As an upgrade does; services of a group restart together. */
const TURNS: readonly (readonly string[])[] = [
  ['gateway'],
  CONSUMERS,
  ['campaigns', 'scheduler'],
  ...ENGINES.map((name) => [name]),
  [workerName('EMAIL')],
];
/** While people enter, and while they wait. */
const BEGINS_AT = [1 / 4, 1] as const;

export const servicesRestarted: AutomationsRow = {
  id: 'A15',
  fault: 'every service restarted in turn, twice, with runs on their way',
  brokers: 1,
  async inject(run) {
    const { rig } = run;
    for (const share of BEGINS_AT) {
      await untilFed(run, share);
      for (const names of TURNS) {
        await runFor(run, 0, 1_000);
        await Promise.all(
          names.map(async (name) => {
            rig.supervisor.kill(name, 'SIGTERM');
            await readyAfterDeath(run, name);
          }),
        );
      }
    }
    run.notes.push(`${await waitsLeft(run)} runs were on their way after the last restart`);
  },
};
