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
  open(batch: SentBatch): Entry;
  attempts(): readonly Attempt[];
};

export function createLedger(): Ledger {
  const entries: Entry[] = [];
  return {
    entries,
    open(batch) {
      const entry = { batch, attempts: [] };
      entries.push(entry);
      return entry;
    },
    attempts: () => entries.flatMap(({ attempts }) => attempts),
  };
}

export function isAcknowledged({ attempts }: Entry): boolean {
  return attempts.some(({ status }) => status === 200);
}
