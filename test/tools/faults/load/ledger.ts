import type { Attempt } from './post.ts';

/** What is sent, with every time it was sent, each written down before it was. Times are of `performance.now()`. */
export type Entry = { readonly attempts: Attempt[] };

export type Ledger<E extends Entry = Entry> = {
  readonly entries: readonly E[];
  /** All requests, in the order they were sent. */
  readonly attempts: readonly Attempt[];
  /** When each 200 came, in that order. */
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

/** What a restart may cost a caller: one more try. */
export function isAcceptedByTheSecondTry(entry: Entry): boolean {
  return isAcknowledged(entry) && entry.attempts.length <= 2;
}
