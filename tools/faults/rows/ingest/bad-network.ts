import type { IngestRow } from './ingest-row.ts';
import { noteRead } from './postgres-outages.ts';
import { runFor } from '../steps.ts';
import { BACK_WITHIN_MS, noteFirstAccepted, untilAccepted } from './steps.ts';

/** A consumer expelled by its coordinator rejoins after its session (6 s) and the row's lease. */
const READ_WITHIN_MS = 16_000;
const CLEAR = {};
const SLOW = { delayMs: 250, loss: 0 };
const LOSSY = { delayMs: 20, loss: 0.3 };

export const badNetwork: IngestRow = {
  id: 'I14',
  fault: 'network cut, stalled, 500 ms slow, 30 % lost',
  brokers: 1,
  needsKafka: true,
  target: 'far',
  async inject(run) {
    const { rig, plan, outages } = run;
    const { gatewayToKafka, consumersToKafka, consumersToPostgres, clear } = rig.proxies;
    const forMs = plan.outageMs / 2;
    for (const condition of [{ isCut: true }, { isStalled: true }]) {
      const kind = condition.isCut ? 'cut' : 'silence';
      gatewayToKafka.set(condition);
      const from = performance.now();
      await runFor(run, forMs);
      outages.push({ from, to: performance.now() });
      gatewayToKafka.set(CLEAR);
      await noteFirstAccepted(run, {
        what: `first 200 after a ${kind} between gateway and Kafka`,
        from: performance.now(),
        msMax: BACK_WITHIN_MS,
      });

      for (const [proxy, where] of [
        [consumersToPostgres, 'consumers and Postgres'],
        [consumersToKafka, 'consumers and Kafka'],
      ] as const) {
        proxy.set(condition);
        await runFor(run, forMs);
        proxy.set(CLEAR);
        await noteRead(run, `all read after a ${kind} between ${where}`, READ_WITHIN_MS);
      }
    }
    for (const condition of [SLOW, LOSSY]) {
      for (const proxy of [gatewayToKafka, consumersToKafka, consumersToPostgres])
        proxy.set(condition);
      await runFor(run, forMs);
      await untilAccepted(run, 10);
      clear();
    }
    await noteRead(run, 'all read after the network was restored');
  },
};
