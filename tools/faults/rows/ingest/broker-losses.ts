import type { IngestRow, IngestRun } from './ingest-row.ts';
import type { Attempt } from '../../load/post.ts';
import type { Outage } from '../../oracles/ingest/answers.ts';
import { runFor } from '../steps.ts';
import { noteFirstAccepted, untilAccepted } from './steps.ts';

/**
 * A new leader is elected after the controller expires the old one (2 s) and the gateway learns of
 * it.
 */
const ELECTED_WITHIN_MS = 15_000;
const BACK_WITHIN_MS = 15_000;
const STEADY_REQUESTS = 50;

export const brokersLost: IngestRow = {
  id: 'I7',
  fault: 'of three brokers one, then two killed',
  brokers: 3,
  needsKafka: true,
  requestsPerSecondMax: 60,
  retriesAll: true,
  async inject(run) {
    const { rig, plan, outages } = run;
    const [, second, third] = rig.kafkaNodes;
    if (second === undefined || third === undefined)
      throw new Error('this row needs three brokers');

    const oneKilledAt = performance.now();
    third.kill('SIGKILL');
    await noteFirstAccepted(run, {
      what: 'first 200 after one broker died',
      from: oneKilledAt,
      msMax: ELECTED_WITHIN_MS,
    });
    await runFor(run, plan.outageMs);
    const twoThere = { from: oneKilledAt, to: performance.now() };

    second.kill('SIGKILL');
    const from = performance.now();
    await runFor(run, plan.outageMs);
    outages.push({ from, to: performance.now() });
    await Promise.all([second.start(), third.start()]);
    await noteFirstAccepted(run, {
      what: 'first 200 after the return of two brokers',
      from: performance.now(),
      msMax: BACK_WITHIN_MS,
    });
    await untilAccepted(run, STEADY_REQUESTS);
    checkSteady(run, twoThere);
  },
};

/**
 * With two of three brokers, a caller sees at most one rejection, and none once a leader is
 * elected.
 */
function checkSteady({ load, violations }: IngestRun, { from, to }: Outage): void {
  const isRefused = ({ answeredAt = Infinity, status }: Attempt): boolean =>
    answeredAt < to && status !== 200;
  const refusedTwice = load.ledger.entries.filter(
    ({ attempts }) =>
      attempts.filter((attempt) => attempt.sentAt > from && isRefused(attempt)).length > 1,
  );
  if (refusedTwice.length > 0)
    violations.push({
      oracle: 'answers',
      what: `${refusedTwice.length} batches were rejected more than once with two of three brokers`,
    });
  const refusedLate = load.ledger.attempts.filter(
    (attempt) => attempt.sentAt > from + ELECTED_WITHIN_MS && isRefused(attempt),
  );
  if (refusedLate.length > 0)
    violations.push({
      oracle: 'answers',
      what: `${refusedLate.length} requests were rejected after the election of a leader`,
    });
}
