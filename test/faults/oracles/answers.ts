import type { Attempt, Ledger } from '../load/ledger.ts';

/** From when to when Kafka could not take anything from the gateway that is asked; of `performance.now()`. */
export type Outage = { readonly from: number; readonly to: number };

export type AnswerRules = {
  readonly outages: readonly Outage[];
  /** Whether the caller's connection may fail: its server is killed. */
  readonly mayBreak: boolean;
  /** Whether an answer other than 200 is a failure of its own. */
  readonly mustAccept: boolean;
};

const ANSWER_WITHIN_MS = 10_000;

/** O7: nothing but 200 and 503, each within 10 s, a 503 with Retry-After; and no 200 while Kafka is away. */
export function checkAnswers(ledger: Ledger, { outages, mayBreak, mustAccept }: AnswerRules): readonly string[] {
  const allowed: readonly number[] = [200, ...(mustAccept ? [] : [503]), ...(mayBreak ? [0] : [])];
  const faults = ledger.attempts().flatMap((attempt): string[] => {
    const { sentAt, answeredAt = Infinity, status = 0, retryAfter, detail = '' } = attempt;
    const tookMs = answeredAt - sentAt;
    return [
      ...(allowed.includes(status) ? [] : [`answered ${status} ${detail}`]),
      ...(tookMs > ANSWER_WITHIN_MS ? ['answered too late'] : []),
      ...(status === 503 && !(Number(retryAfter) > 0) ? ['503 without Retry-After'] : []),
      ...(status === 200 && outages.some((outage) => isWithin(attempt, outage)) ? ['answered 200 while Kafka was away'] : []),
    ];
  });
  const silent = outages.filter(({ from, to }) => !ledger.attempts().some(({ sentAt, status }) => sentAt > from && sentAt < to && status === 503));
  return [...summed(faults), ...silent.map(() => 'an outage in which nothing was refused: nothing was tried')];
}

function isWithin({ sentAt, answeredAt = Infinity }: Attempt, { from, to }: Outage): boolean {
  return sentAt > from && answeredAt < to;
}

function summed(faults: readonly string[]): string[] {
  return [...Map.groupBy(faults, (fault) => fault)].map(([fault, list]) => `${list.length} × ${fault}`);
}
