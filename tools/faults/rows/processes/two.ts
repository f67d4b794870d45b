import { ONE_PROCESS } from '@tidings/local';
import { successorOf } from '../../rigs/rolling-rig.ts';
import { untilAllSend } from '../delivery/steps.ts';
import type { RollingRun } from '../rolling/rolling-row.ts';

/** Two processes with every service each. */
export const TWO: readonly string[] = [ONE_PROCESS, successorOf(ONE_PROCESS)];

/**
 * Webhooks of one process to one endpoint, the default. With more in flight, each of the two processes
 * has some. With 4 a busy machine sends fewer than the load queues.
 */
export const WEBHOOKS_IN_FLIGHT_MAX = 10;

/** Starts the second process behind the same addresses, and drains it after `work`. */
export async function besideSecond(run: RollingRun, work: () => Promise<void>): Promise<void> {
  const { supervisor, balancers } = run.rig;
  const name = successorOf(ONE_PROCESS);
  const url = await supervisor.add({ name, program: ONE_PROCESS });
  const addresses = Object.values(balancers);
  for (const { instances } of addresses) instances[name] = url;
  try {
    await untilAllSend(run);
    await work();
  } finally {
    await supervisor.remove(name);
    for (const { instances } of addresses) delete instances[name];
  }
}
