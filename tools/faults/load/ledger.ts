import type { Attempt } from './post.ts';

/**
 * A sent item with all attempts, each recorded before it was sent. Times are from
 * `performance.now()`.
 */
export type Entry = { readonly attempts: Attempt[] };

export type Ledger<E extends Entry = Entry> = {
  readonly entries: readonly E[];
  /** All requests in sending order. */
  readonly attempts: readonly Attempt[];
  /** Arrival time of each 200, in order. */
  readonly acceptedAt: readonly number[];
  open(entry: E): void;
  noteSent(entry: E, attempt: Attempt): void;
  noteAnswer(attempt: Attempt, answer: Omit<Attempt, 'sentAt'>): void;
};

export function createLedger<E extends Entry>(): Ledger<E> {
  const entries: E[] = [];
  const attempts: Attempt[] = [];
  const acceptedAt: number[] = [];
  return {
    entries,
    attempts,
    acceptedAt,
    open: (entry) => void entries.push(entry),
    noteSent(entry, attempt) {
      entry.attempts.push(attempt);
      attempts.push(attempt);
    },
    noteAnswer(attempt, answer) {
      Object.assign(attempt, answer);
      if (answer.status === 200 && answer.answeredAt !== undefined)
        acceptedAt.push(answer.answeredAt);
    },
  };
}

export function isAcknowledged({ attempts }: Entry): boolean {
  return attempts.some(({ status }) => status === 200);
}

/** A restart may cost a caller one retry. */
export function isAcceptedByTheSecondTry(entry: Entry): boolean {
  return isAcknowledged(entry) && entry.attempts.length <= 2;
}
