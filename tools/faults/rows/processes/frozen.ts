import { SEND_LEASE_MS } from '../../rigs/delivery-rig.ts';
import type { RollingRow } from '../rolling/rolling-row.ts';
import { freeze } from './freeze.ts';
import { LATE_TAKE_OVERS, TAKE_OVERS } from './take-overs.ts';
import { besideSecond, TWO } from './two.ts';

/** Sessions on the bus last 6 s. */
const FROZEN_MS = 2 * SEND_LEASE_MS;
/** Longer than the lease of a webhook, 60 s, that of a message of a device and its silence. */
const LONG_FROZEN_MS = 65_000;

export const processFrozen: RollingRow = {
  id: 'P17',
  fault:
    'one of two processes with every service frozen for at least twice the lease of a send, and thawed',
  brokers: 1,
  cutsOff: true,
  inject: (run) =>
    besideSecond(run, async () => {
      for (let round = 0; round < run.plan.kills; round += 1)
        for (const name of TWO)
          await freeze(run, name, { forMs: FROZEN_MS, takeOvers: TAKE_OVERS });
    }),
};

export const processFrozenForLong: RollingRow = {
  id: 'P18',
  fault: 'one of two processes with every service frozen for longer than any lease, and thawed',
  brokers: 1,
  cutsOff: true,
  inject: (run) =>
    besideSecond(run, async () => {
      for (const name of TWO)
        await freeze(run, name, {
          forMs: LONG_FROZEN_MS,
          takeOvers: [...TAKE_OVERS, ...LATE_TAKE_OVERS],
        });
    }),
};
