import { SENT_CHANNELS } from '../../rigs/delivery-proxies.ts';
import { pick } from '../../load/random.ts';
import { allowAmbiguousAttempts, untilAllSend } from '../delivery/steps.ts';
import type { RollingRow } from '../rolling/rolling-row.ts';
import { readyAfterDeath, runFor } from '../steps.ts';
import { besideSecond, TWO } from './two.ts';

const KILLS_PER_ROUND = 4;
const WITHIN_MS = 2_000;
/** Partitions of a killed process are free after its session of 6 s. */
const READY_WITHIN_MS = 30_000;

export const processKilled: RollingRow = {
  id: 'P4',
  fault: 'kill -9 of one of two processes with every service',
  brokers: 1,
  cutsOff: true,
  inject: (run) =>
    besideSecond(run, async () => {
      for (let kill = 0; kill < run.plan.kills * KILLS_PER_ROUND; kill += 1) {
        await runFor(run, 0, WITHIN_MS);
        const name = pick(run.random, TWO);
        allowAmbiguousAttempts(run, SENT_CHANNELS);
        run.rig.supervisor.kill(name, 'SIGKILL');
        const took = await readyAfterDeath(run, name);
        run.recoveries.push({ what: `${name} ready again`, ...took, msMax: READY_WITHIN_MS });
        await untilAllSend(run);
      }
    }),
};
