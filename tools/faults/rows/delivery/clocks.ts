import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WORKERS } from '../../rigs/delivery-proxies.ts';
import {
  createFakeClock,
  findFakeClock,
  whyNoFakeClock,
  type FakeClock,
} from '../../rigs/fake-clock.ts';
import { runFor } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { untilAllSend } from './steps.ts';

/** Much less than the clock offsets. */
const STARTED_WITHIN_MS = 60_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
/** Runs besides workers with a correct clock; which worker takes a delivery is random. */
const SKEWED: readonly (readonly [string, number])[] = [
  [WORKERS.EMAIL, HOUR_SECONDS],
  [WORKERS.SMS, -HOUR_SECONDS],
  [WORKERS.WEB_HOOK, 10 * MINUTE_SECONDS],
  ['campaigns', -10 * MINUTE_SECONDS],
];

/**
 * No ambiguous attempts are allowed: times are compared only in Postgres, and durations use a
 * monotonic clock.
 */
export const clocksWrong: DeliveryRow = {
  id: 'D13',
  fault: 'clocks wrong by an hour and by ten minutes, changed during a campaign',
  brokers: 1,
  leftOut: whyNoFakeClock,
  async inject(run) {
    const library = findFakeClock();
    if (library === undefined) throw new Error('no libfaketime');
    const clocks = await Promise.all(
      SKEWED.map(([program, seconds]) => addSkewed(run, { library, program, seconds })),
    );
    await untilAllSend(run);
    await runFor(run, run.plan.outageMs / 2);
    for (const [index, [, seconds]] of SKEWED.entries()) clocks[index]?.set(-seconds);
    await runFor(run, run.plan.outageMs / 2);
    await untilAllSend(run);
    await Promise.all(SKEWED.map(([program]) => run.rig.supervisor.remove(nameOf(program))));
  },
};

function nameOf(program: string): string {
  return `${program}-13`;
}

async function addSkewed(
  { rig }: DeliveryRun,
  {
    library,
    program,
    seconds,
  }: { readonly library: string; readonly program: string; readonly seconds: number },
): Promise<FakeClock> {
  const name = nameOf(program);
  const clock = createFakeClock(library, join(rig.tidings.home, `${name}.clock`));
  clock.set(seconds);
  rig.instanceEnv.set(name, clock.env);
  const from = Date.now();
  const logFile = join(rig.logDir, `${name}.log`);
  // Runs with other seeds may have written to the same log.
  const writtenBefore = existsSync(logFile) ? statSync(logFile).size : 0;
  await rig.supervisor.add({ name, program });
  // Log lines have the shifted time.
  const [line = '{}'] = readFileSync(logFile).subarray(writtenBefore).toString('utf8').split('\n');
  const { at = 0 } = JSON.parse(line) as { readonly at?: number };
  if (Math.abs(at - from - seconds * 1_000) > STARTED_WITHIN_MS)
    throw new Error(`the clock of ${name} is not wrong: the fault had no effect`);
  return clock;
}
