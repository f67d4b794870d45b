import type { Ledger } from '../../load/ledger.ts';
import type { Attempt } from '../../load/post.ts';
import type { Window } from '../cpu-waits.ts';

/** From when to when Kafka could not take anything from the gateway that is asked; of `performance.now()`. */
export type Outage = { readonly from: number; readonly to: number };

export type AnswerRules = {
  readonly outages: readonly Outage[];
  /** Whether the caller's connection may fail: its server is killed. */
  readonly mayBreak: boolean;
  /** Whether an answer other than 200 is a failure of its own. */
  readonly mustAccept: boolean;
  /** How long the gateway or the caller waited for a CPU in that time. */
  cpuWaitMs(window: Window): number;
};

const ANSWER_WITHIN_MS = 10_000;
/** The gateway's own deadline is this much earlier. */
const DUE_MS = 2_000;

/**
 * Answers: nothing but 200 and 503, each within 10 s, a 503 with Retry-After; and no 200 while Kafka is away. An answer that was
 * late for want of CPU alone is the machine's fault, and a note.
 */
export function checkAnswers(
  ledger: Ledger,
  { outages, mayBreak, mustAccept, cpuWaitMs }: AnswerRules,
): { readonly faults: readonly string[]; readonly notes: readonly string[] } {
  // Only what was waited about the time when the answer was due excuses anything: before, there was time to spare.
  const isForWantOfCpu = (answeredAt: number, lateMs: number): boolean =>
    cpuWaitMs({ from: answeredAt - lateMs - DUE_MS, to: answeredAt }) >= lateMs;
  let starved = 0;
  const allowed: readonly number[] = [200, ...(mustAccept ? [] : [503]), ...(mayBreak ? [0] : [])];
  const faults = ledger.attempts.flatMap((attempt): string[] => {
    const { sentAt, answeredAt = Infinity, status = 0, retryAfter, detail = '' } = attempt;
    const tookMs = answeredAt - sentAt;
    const isLate = tookMs > ANSWER_WITHIN_MS;
    const isStarved =
      isLate && answeredAt !== Infinity && isForWantOfCpu(answeredAt, tookMs - ANSWER_WITHIN_MS);
    if (isStarved) starved += 1;
    return [
      ...(allowed.includes(status) ? [] : [`answered ${status} ${detail}`]),
      ...(isLate && !isStarved ? ['answered too late'] : []),
      ...(status === 503 && !(Number(retryAfter) > 0) ? ['503 without Retry-After'] : []),
      ...(status === 200 && outages.some((outage) => isWithin(attempt, outage))
        ? ['answered 200 while Kafka was away']
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
      ...silent.map(() => 'an outage in which nothing was refused: nothing was tried'),
    ],
    notes:
      starved === 0
        ? []
        : [
            `${starved} answers came later than ${ANSWER_WITHIN_MS / 1000} s by no more than gateway or caller had no CPU when they were due`,
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
