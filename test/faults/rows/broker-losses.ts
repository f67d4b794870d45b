import type { FaultRow, Run } from '../fault-row.ts';
import { goOn, noteFirstAccepted, untilAccepted } from './steps.ts';

/** A leader is elected anew when the controller has given up the old one (2 s here) and the gateway has heard of it. */
const ELECTED_WITHIN_MS = 10_000;
const BACK_WITHIN_MS = 15_000;
const STEADY_REQUESTS = 50;

export const brokersLost: FaultRow = {
  id: 'F7',
  fault: 'of three brokers one, then two killed',
  brokers: 3,
  retriesAll: true,
  async inject(run) {
    const { rig, plan, outages } = run;
    const [, second, third] = rig.kafkaNodes;
    if (second === undefined || third === undefined) throw new Error('this row needs three brokers');

    const oneKilledAt = performance.now();
    third.kill('SIGKILL');
    await noteFirstAccepted(run, { what: 'first 200 after one broker died', from: oneKilledAt, msMax: ELECTED_WITHIN_MS });
    await goOn(run, plan.outageMs);
    checkSteady(run, oneKilledAt + ELECTED_WITHIN_MS);

    second.kill('SIGKILL');
    const from = performance.now();
    await goOn(run, plan.outageMs);
    outages.push({ from, to: performance.now() });
    await Promise.all([second.start(), third.start()]);
    await noteFirstAccepted(run, { what: 'first 200 after the return of two brokers', from: performance.now(), msMax: BACK_WITHIN_MS });
    await untilAccepted(run, STEADY_REQUESTS);
  },
};

/** With two of three brokers all is well again. */
function checkSteady({ load, violations }: Run, from: number): void {
  const refused = load.ledger.attempts().filter(({ sentAt, status }) => sentAt > from && status !== undefined && status !== 200);
  if (refused.length > 0) violations.push({ oracle: 'O7', what: `${refused.length} requests were refused while two of three brokers were there` });
}
