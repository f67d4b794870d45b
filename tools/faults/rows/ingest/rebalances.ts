import { CONSUMERS } from '../../rigs/ingest-rig.ts';
import type { IngestRow, IngestRun } from './ingest-row.ts';
import { runFor } from '../steps.ts';
import { noteStandstill } from './steps.ts';

const MORE = [2, 3, 4];
/** Each join stops the whole group once; records must still be processed during a storm. */
const STANDSTILL_MS_MAX = 20_000;
const ROUND_MS = 20_000;
const WINDOW_MS = 60_000;
const SHARE_MIN = 0.25;

export const rebalanceStorm: IngestRow = {
  id: 'I16',
  fault: 'consumers 1 → 4 → 1',
  brokers: 1,
  mustAccept: true,
  async inject(run) {
    const { smallestShare } = await noteStandstill(run, {
      msMax: STANDSTILL_MS_MAX,
      windowMs: WINDOW_MS,
      during: () => storm(run),
    });
    const what = `${Math.round(smallestShare * 100)} % of the incoming records were read in the worst ${WINDOW_MS / 1000} s`;
    run.notes.push(what);
    if (smallestShare < SHARE_MIN) run.violations.push({ oracle: 'in time', what });
  },
};

async function storm(run: IngestRun): Promise<void> {
  // One round per two kills of the other rows.
  for (let round = 0; round < run.plan.kills; round += 2) {
    const startedAt = performance.now();
    await comeAndGo(run);
    await runFor(run, Math.max(0, startedAt + ROUND_MS - performance.now()));
  }
}

async function comeAndGo(run: IngestRun): Promise<void> {
  const { supervisor } = run.rig;
  for (const number of MORE) {
    await runFor(run, 100, 500);
    await Promise.all(
      CONSUMERS.map((program) => supervisor.add({ name: `${program}-${number}`, program })),
    );
  }
  await runFor(run, 1_000, 3_000);
  for (const number of MORE) {
    await runFor(run, 100, 500);
    await Promise.all(CONSUMERS.map((program) => supervisor.remove(`${program}-${number}`)));
  }
}
