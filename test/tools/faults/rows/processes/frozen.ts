import { SENT_CHANNELS } from '../../rigs/delivery-proxies.ts';
import { SEND_LEASE_MS } from '../../rigs/delivery-rig.ts';
import { allowAmbiguousAttempts, untilAllSend } from '../delivery/steps.ts';
import type { RollingRow, RollingRun } from '../rolling/rolling-row.ts';
import { noteRecovery, runFor } from '../steps.ts';
import { besideSecond, TWO } from './two.ts';

/** The longest lease. Sessions on the bus last 6 s. */
const LEASE_MS = SEND_LEASE_MS;
const WITHIN_MS = 700;
const SENDS_WITHIN_MS = 10_000;

export const processFrozen: RollingRow = {
  id: 'P17',
  fault: 'one of two processes with every service frozen for twice its leases, and thawed',
  brokers: 1,
  cutsOff: true,
  inject: (run) =>
    besideSecond(run, async () => {
      for (let round = 0; round < run.plan.kills; round += 1)
        for (const name of TWO) await freeze(run, name);
    }),
};

async function freeze(run: RollingRun, name: string): Promise<void> {
  const { supervisor } = run.rig;
  await runFor(run, 0, WITHIN_MS);
  allowAmbiguousAttempts(run, SENT_CHANNELS);
  const from = performance.now();
  supervisor.kill(name, 'SIGSTOP');
  try {
    await runFor(run, LEASE_MS);
    await untilEachSends(run, 'the other process alone sends by every channel');
    await runFor(run, LEASE_MS);
  } finally {
    supervisor.kill(name, 'SIGCONT');
    run.frozen.push({ from, to: performance.now() });
  }
  await untilEachSends(run, 'every channel sends after the thaw');
}

async function untilEachSends(run: RollingRun, what: string): Promise<void> {
  const from = performance.now();
  await untilAllSend(run);
  noteRecovery(run, { what, ms: performance.now() - from, msMax: SENDS_WITHIN_MS });
}
