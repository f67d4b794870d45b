import type { SentBatch } from './batches.ts';

/** One request, as its caller knows it. */
export type Attempt = {
  readonly sentAt: number;
  answeredAt?: number;
  /** 0: the connection failed or no answer came in time. */
  status?: number;
  requestId?: string;
  retryAfter?: string;
  /** Of an answer that is neither 200 nor 503, or of a failure: what was said. */
  detail?: string;
};

/** A batch and every time it was sent, written down before it was. Times are of `performance.now()`. */
export type Entry = { readonly batch: SentBatch; readonly attempts: Attempt[] };

export type Ledger = {
  readonly entries: readonly Entry[];
  /** All requests, in the order they were sent. */
  readonly attempts: readonly Attempt[];
  /** When each 200 came, in that order. */
  readonly acceptedAt: readonly number[];
  open(batch: SentBatch): Entry;
  noteSent(entry: Entry, attempt: Attempt): void;
  noteAnswer(attempt: Attempt, answer: Omit<Attempt, 'sentAt'>): void;
};

export function createLedger(): Ledger {
  const entries: Entry[] = [];
  const attempts: Attempt[] = [];
  const acceptedAt: number[] = [];
  return {
    entries,
    attempts,
    acceptedAt,
    open(batch) {
      const entry: Entry = { batch, attempts: [] };
      entries.push(entry);
      return entry;
    },
    noteSent(entry, attempt) {
      entry.attempts.push(attempt);
      attempts.push(attempt);
    },
    noteAnswer(attempt, answer) {
      Object.assign(attempt, answer);
      if (answer.status === 200 && answer.answeredAt !== undefined) acceptedAt.push(answer.answeredAt);
    },
  };
}

export function isAcknowledged({ attempts }: Entry): boolean {
  return attempts.some(({ status }) => status === 200);
}
