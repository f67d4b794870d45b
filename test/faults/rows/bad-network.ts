import type { FaultRow } from '../fault-row.ts';
import { noteRead } from './postgres-outages.ts';
import { goOn, noteFirstAccepted, untilAccepted } from './steps.ts';

const BACK_WITHIN_MS = 5_000;
const CLEAR = {};
const SLOW = { delayMs: 250, loss: 0 };
const LOSSY = { delayMs: 20, loss: 0.3 };

export const badNetwork: FaultRow = {
  id: 'F14',
  fault: 'network cut, silent, 500 ms slow, 30 % lost',
  brokers: 1,
  target: 'far',
  async inject(run) {
    const { rig, plan, outages } = run;
    const { kafka, postgres } = rig.proxies;
    for (const weather of [{ isCut: true }, { isStalled: true }]) {
      kafka.set(weather);
      const from = performance.now();
      await goOn(run, plan.outageMs);
      outages.push({ from, to: performance.now() });
      kafka.set(CLEAR);
      await noteFirstAccepted(run, { what: `first 200 after ${Object.keys(weather).join()} ended`, from: performance.now(), msMax: BACK_WITHIN_MS });

      postgres.set(weather);
      await goOn(run, plan.outageMs);
      postgres.set(CLEAR);
      await noteRead(run, `all read after ${Object.keys(weather).join()} between consumers and Postgres ended`);
    }
    for (const weather of [SLOW, LOSSY]) {
      kafka.set(weather);
      postgres.set(weather);
      await goOn(run, plan.outageMs);
      await untilAccepted(run, 10);
      kafka.set(CLEAR);
      postgres.set(CLEAR);
    }
    await noteRead(run, 'all read after the network was well again');
  },
};
