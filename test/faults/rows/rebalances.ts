import { CONSUMERS } from '../rig.ts';
import type { FaultRow, Run } from '../fault-row.ts';
import { goOn, noteStandstill } from './steps.ts';

const MORE = [2, 3, 4];
/** Every join stops the whole group once; a storm of them must still let records through. */
const STANDSTILL_MS_MAX = 20_000;

export const rebalanceStorm: FaultRow = {
  id: 'F16',
  fault: 'consumers 1 → 4 → 1',
  brokers: 1,
  mustAccept: true,
  async inject(run) {
    await noteStandstill(run, { msMax: STANDSTILL_MS_MAX, during: () => comeAndGo(run) });
  },
};

async function comeAndGo(run: Run): Promise<void> {
  const { supervisor } = run.rig;
  for (const number of MORE) {
    await goOn(run, 200, 1_000);
    await Promise.all(CONSUMERS.map((program) => supervisor.add({ name: `${program}-${number}`, program })));
  }
  await goOn(run, run.plan.outageMs / 2);
  for (const number of MORE) {
    await goOn(run, 200, 1_000);
    await Promise.all(CONSUMERS.map((program) => supervisor.remove(`${program}-${number}`)));
  }
}
