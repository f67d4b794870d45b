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
  /** Sends nothing new and resolves when every batch is answered 200 or given up. */
  stop(): Promise<void>;
  /** Sends each batch until it is answered 200. */
  sendAll(batches: readonly SentBatch[]): Promise<void>;
  close(): void;
};

const TICK_MS = 10;
const ATTEMPTS_MAX = 12;
const BACKOFF_MS = { base: 200, max: 3_000 };
const AT_ONCE = 16;

/** An open loop: requests leave at their time, whatever became of those before. Times and users come from the seed. */
export function startLoad(options: LoadOptions): Load {
  const { random, requestsPerSecond, next, url, headersOf, retryChance = 0.6 } = options;
  const ledger = createLedger();
  const poster = createPoster();
  const underway = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function send(entry: Entry): Promise<Attempt> {
    const attempt: Attempt = { sentAt: performance.now() };
    entry.attempts.push(attempt);
    return Object.assign(attempt, await poster.post(`${url()}/`, { headers: headersOf(entry.batch), body: bodyOf(entry.batch) }));
  }

  async function deliver(batch: SentBatch, isPersistent: boolean): Promise<void> {
    const entry = ledger.open(batch);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const { status = 0, retryAfter = '0' } = await send(entry);
      // Only what may pass is worth another try.
      if (status !== 0 && status !== 503) return;
      if (!isPersistent) return;
      const backoffMs = Math.min(BACKOFF_MS.max, BACKOFF_MS.base * 2 ** (attempt - 1));
      await delay(Math.max(backoffMs, Number(retryAfter) * 1_000) * (0.75 + random() / 2));
    }
  }

  const running = (async () => {
    const startedAt = performance.now();
    for (let sent = 0; !stopping.signal.aborted; ) {
      for (const due = ((performance.now() - startedAt) / 1000) * requestsPerSecond; sent < due; sent += 1) {
        const delivery = deliver(next(), random() < retryChance).finally(() => underway.delete(delivery));
        underway.add(delivery);
      }
      await delay(TICK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  return {
    ledger,
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(underway);
    },
    async sendAll(batches) {
      const queue = [...batches];
      const work = async (): Promise<void> => {
        for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
          await deliver(batch, true);
          const entry = ledger.entries.findLast((one) => one.batch === batch);
          if (entry !== undefined && !isAcknowledged(entry)) throw new Error(`a batch at rest was answered ${entry.attempts.at(-1)?.status}: ${entry.attempts.at(-1)?.detail}`);
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
