import { setTimeout as delay } from 'node:timers/promises';
import type { SentBatch } from './batches.ts';
import { createLedger, isAcknowledged, type Attempt, type Entry, type Ledger } from './ledger.ts';
import { createPoster } from './post.ts';
import type { Random } from './random.ts';

export type LoadOptions = {
  readonly random: Random;
  readonly requestsPerSecond: number;
  next(): SentBatch;
  /** Where a request goes now. */
  url(): string;
  headersOf(batch: SentBatch): Readonly<Record<string, string>>;
  /** How often a refused batch is sent again; the others a caller gives up. */
  readonly retryChance?: number;
};

export type Load = {
  readonly ledger: Ledger;
  /** Batches a second, as they were sent until the stop. */
  rate(): number;
  /** Sends nothing new and resolves when every batch is answered 200 or given up. */
  stop(): Promise<void>;
  /** Sends each batch until it is answered 200. */
  sendAll(batches: readonly SentBatch[]): Promise<void>;
  close(): void;
};

const TICK_MS = 10;
const ATTEMPTS_MAX = 12;
/** As patient callers do it: those who all come again every few seconds are an overload of their own. */
const BACKOFF_MS = { base: 200, max: 10_000 };
const AT_ONCE = 16;
const LATE_MS_MAX = 250;

/**
 * An open loop: requests leave at their time, whatever became of those before. Times and users come from the seed. What a
 * machine without time for this process has made late is left out: sent all at once, it would be a fault of its own.
 */
export function startLoad(options: LoadOptions): Load {
  const { random, requestsPerSecond, next, url, headersOf, retryChance = 0.6 } = options;
  const ledger = createLedger();
  const poster = createPoster();
  const underway = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  async function send(entry: Entry): Promise<Attempt> {
    const attempt: Attempt = { sentAt: performance.now() };
    ledger.noteSent(entry, attempt);
    ledger.noteAnswer(attempt, await poster.post(`${url()}/`, { headers: headersOf(entry.batch), body: bodyOf(entry.batch) }));
    return attempt;
  }

  async function deliver(batch: SentBatch, isPersistent: boolean): Promise<Entry> {
    const entry = ledger.open(batch);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const { status = 0, retryAfter = '0' } = await send(entry);
      // Only what may pass is worth another try.
      if (status !== 0 && status !== 503) return entry;
      if (!isPersistent) return entry;
      const backoffMs = Math.min(BACKOFF_MS.max, BACKOFF_MS.base * 2 ** (attempt - 1));
      await delay(Math.max(backoffMs, Number(retryAfter) * 1_000) * (0.75 + random() / 2));
    }
    return entry;
  }

  const startedAt = performance.now();
  let endedAt = startedAt;
  const running = (async () => {
    for (let sent = 0; !stopping.signal.aborted; ) {
      const due = ((performance.now() - startedAt) / 1000) * requestsPerSecond;
      for (sent = Math.max(sent, Math.floor(due - (LATE_MS_MAX / 1000) * requestsPerSecond)); sent < due; sent += 1) {
        const delivery = deliver(next(), random() < retryChance).finally(() => underway.delete(delivery));
        underway.add(delivery);
      }
      await delay(TICK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  return {
    ledger,
    rate: () => ledger.entries.filter(({ attempts: [first] }) => (first?.sentAt ?? Infinity) < endedAt).length / ((endedAt - startedAt) / 1000),
    async stop() {
      if (!stopping.signal.aborted) endedAt = performance.now();
      stopping.abort();
      await running;
      await Promise.all(underway);
    },
    async sendAll(batches) {
      const queue = [...batches];
      const work = async (): Promise<void> => {
        for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
          const entry = await deliver(batch, true);
          if (!isAcknowledged(entry)) throw new Error(`a batch at rest was answered ${entry.attempts.at(-1)?.status}: ${entry.attempts.at(-1)?.detail}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
    close: () => poster.close(),
  };
}

function bodyOf({ customUserId, serviceUserId, messages }: SentBatch): string {
  return JSON.stringify({ customUserId, serviceUserId, messages });
}
