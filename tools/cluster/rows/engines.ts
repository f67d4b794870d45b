import { setTimeout as delay } from 'node:timers/promises';
import type { Row, Stage } from '../row.ts';
import { until } from '../support/until.ts';
import { underLoad } from './under-load.ts';

const ENGINE = 'automation-engine';
const MOST = 4;
const LATE_MS_MAX = 5_000;
const SCALED_WITHIN_MS = 180_000;
/** Longer than the minute that runs wait for: they end while there are as many. */
const BESIDE_MS = 75_000;

export const engines: Row = {
  name: 'engines',
  claim: `${MOST} engines in place of one, and one again: each run ends in time, with one mail`,
  run: (stage) =>
    underLoad(stage, { name: 'engines', allowance: { lateMs: LATE_MS_MAX } }, async () => {
      await scaleTo(stage, MOST);
      await delay(BESIDE_MS, undefined, { signal: stage.signal });
      await scaleTo(stage, 1);
      await delay(BESIDE_MS, undefined, { signal: stage.signal });
      return { notes: [`1, ${MOST} and 1 engines`] };
    }),
};

async function scaleTo({ installation }: Stage, replicas: number): Promise<void> {
  await installation.upgrade({ services: { [ENGINE]: { replicas } } });
  await until({ what: `${replicas} engines`, withinMs: SCALED_WITHIN_MS }, async () =>
    (await installation.pods(ENGINE)).length === replicas ? true : undefined,
  );
}
