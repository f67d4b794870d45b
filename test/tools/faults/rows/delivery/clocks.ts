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

/** Far less than the clocks are wrong by. */
const STARTED_WITHIN_MS = 60_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
/** Beside those whose clock is right: who takes up which delivery is left to chance. */
const SKEWED: readonly (readonly [string, number])[] = [
  [WORKERS.EMAIL, HOUR_SECONDS],
  [WORKERS.SMS, -HOUR_SECONDS],
  [WORKERS.WEB_HOOK, 10 * MINUTE_SECONDS],
  ['campaigns', -10 * MINUTE_SECONDS],
];

/** Nothing may be in doubt for it: times are compared in Postgres alone, and durations do not jump. */
export const clocksWrong: DeliveryRow = {
  id: 'F13',
  fault: 'clocks wrong by an hour and by ten minutes, and set in the middle of a campaign',
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
  // The row of another seed may have left lines of its own.
  const writtenBefore = existsSync(logFile) ? statSync(logFile).size : 0;
  await rig.supervisor.add({ name, program });
  // Its log has the time that it was shown.
  const [line = '{}'] = readFileSync(logFile).subarray(writtenBefore).toString('utf8').split('\n');
  const { at = 0 } = JSON.parse(line) as { readonly at?: number };
  if (Math.abs(at - from - seconds * 1_000) > STARTED_WITHIN_MS)
    throw new Error(`the clock of ${name} is not wrong: nothing was tried`);
  return clock;
}
