import { producePoison } from '../../load/ingest/poison.ts';
import { pick } from '../../load/random.ts';
import type { IngestRow, IngestRun } from './ingest-row.ts';
import { runFor } from '../steps.ts';
import { noteStandstill } from './steps.ts';

const BLOCKED_MS_MAX = 5_000;
/** One in a hundred records. */
const SHARE = 0.01;
const LEAST = 12;

export const poisonMix: IngestRow = {
  id: 'I18',
  fault: '1 % poison among the records',
  brokers: 1,
  mustAccept: true,
  async inject(run) {
    await noteStandstill(run, { msMax: BLOCKED_MS_MAX, during: () => poisonNowAndThen(run) });
  },
};

async function poisonNowAndThen(run: IngestRun): Promise<void> {
  const { outageMs, requestsPerSecond } = run.plan;
  const count = Math.max(LEAST, Math.round((outageMs / 1000) * requestsPerSecond * SHARE));
  for (let n = 0; n < count; n += 1) {
    await poisonOnce(run);
    await runFor(run, 0, (2 * outageMs) / count);
  }
}

export async function poisonOnce({ rig, random, applications, poison }: IngestRun): Promise<void> {
  poison.push(
    await producePoison(rig.bus, { random, applicationId: pick(random, applications).id }),
  );
}
