import type { Ledger } from '../../load/ledger.ts';
import type { Attempt } from '../../load/post.ts';
import type { Window } from '../cpu-waits.ts';

/**
 * Period in which the bus could not accept records from the addressed gateway; from
 * `performance.now()`.
 */
export type Outage = { readonly from: number; readonly to: number };

export type AnswerRules = {
  readonly outages: readonly Outage[];
  /** The connection may break, because its server is killed. */
  readonly mayBreak: boolean;
  /** When a server was frozen: it answers afterwards, with 408 if it was reading the request. */
  readonly frozen?: readonly Window[];
  /** A response other than 200 is a failure. */
  readonly mustAccept: boolean;
  /** Time that the gateway or the caller waited for a CPU in the window. */
  cpuWaitMs(window: Window): number;
};

const ANSWER_WITHIN_MS = 10_000;
const LATE = `later than ${ANSWER_WITHIN_MS / 1000} s`;
/** Margin to the gateway's own deadline. */
const DUE_MS = 2_000;

/**
 * Answers: only 200 and 503, each within 10 s, a 503 with Retry-After; no 200 while the bus is down.
 * A response that is late only for lack of CPU is a note, not a failure.
 */
export function checkAnswers(
  ledger: Ledger,
  { outages, mayBreak, frozen = [], mustAccept, cpuWaitMs }: AnswerRules,
): { readonly faults: readonly string[]; readonly notes: readonly string[] } {
  // Only CPU waits near the deadline excuse a late response; earlier there was time to spare.
  const isForWantOfCpu = (answeredAt: number, lateMs: number): boolean =>
    cpuWaitMs({ from: answeredAt - lateMs - DUE_MS, to: answeredAt }) >= lateMs;
  const frozenMs = ({ from, to }: Window): number =>
    Math.max(0, ...frozen.map((one) => Math.min(one.to, to) - Math.max(one.from, from)));
  let starved = 0;
  let thawed = 0;
  const allowed: readonly number[] = [200, ...(mustAccept ? [] : [503]), ...(mayBreak ? [0] : [])];
  const faults = ledger.attempts.flatMap((attempt): string[] => {
    const { sentAt, answeredAt = Infinity, status = 0, retryAfter, detail = '' } = attempt;
    const tookMs = answeredAt - sentAt;
    const wasFrozenMs = frozenMs({ from: sentAt, to: answeredAt });
    const isLate = tookMs - wasFrozenMs > ANSWER_WITHIN_MS;
    const isStarved =
      isLate &&
      answeredAt !== Infinity &&
      isForWantOfCpu(answeredAt, tookMs - wasFrozenMs - ANSWER_WITHIN_MS);
    if (isStarved) starved += 1;
    if (!isLate && tookMs > ANSWER_WITHIN_MS) thawed += 1;
    const isAllowed = allowed.includes(status) || (status === 408 && wasFrozenMs > 0);
    return [
      ...(isAllowed ? [] : [`answered ${status} ${detail}`]),
      ...(isLate && !isStarved ? ['answered too late'] : []),
      ...(status === 503 && !(Number(retryAfter) > 0) ? ['503 without Retry-After'] : []),
      ...(status === 200 && outages.some((outage) => isWithin(attempt, outage))
        ? ['answered 200 while the bus was down']
        : []),
    ];
  });
  const silent = outages.filter(
    ({ from, to }) =>
      !ledger.attempts.some(({ sentAt, status }) => sentAt > from && sentAt < to && status === 503),
  );
  return {
    faults: [
      ...summed(faults),
      ...silent.map(() => 'nothing was rejected during an outage: the fault had no effect'),
    ],
    notes: [
      ...(starved === 0
        ? []
        : [`${starved} responses were ${LATE} only by the time without a CPU`]),
      ...(thawed === 0 ? [] : [`${thawed} responses were ${LATE} while a process was frozen`]),
    ],
  };
}

function isWithin({ sentAt, answeredAt = Infinity }: Attempt, { from, to }: Outage): boolean {
  return sentAt > from && answeredAt < to;
}

function summed(faults: readonly string[]): string[] {
  return [...Map.groupBy(faults, (fault) => fault)].map(
    ([fault, list]) => `${list.length} × ${fault}`,
  );
}
