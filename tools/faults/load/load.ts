import { setTimeout as delay } from 'node:timers/promises';
import { createLedger, isAcknowledged, type Entry, type Ledger } from './ledger.ts';
import { createPoster, type Attempt, type PostRequest } from './post.ts';
import type { Random } from './random.ts';

export type LoadOptions<E extends Entry> = {
  readonly random: Random;
  readonly requestsPerSecond: number;
  /** Creates the next entry without sending it. */
  next(): E;
  /** The current request of an entry. */
  requestOf(entry: E): PostRequest;
  /** Called when an attempt of an entry has its answer, or none in time. */
  onAnswer?(entry: E): void;
  /** Probability that a rejected request is retried; others are abandoned. */
  readonly retryChance?: number;
  /** Also retry 408, of a server that was frozen while it read the request. */
  readonly retriesTimeouts?: boolean;
};

export type Load<E extends Entry> = {
  readonly ledger: Ledger<E>;
  /** New requests per second, as sent until the stop. */
  rate(): number;
  /** Stops new requests and resolves when all are accepted or abandoned. */
  stop(): Promise<void>;
  /** Sends an additional entry and retries until it is accepted or abandoned. */
  send(entry: E): Promise<void>;
  /** Sends each until it is accepted. @throws if one is not */
  sendAll(entries: readonly E[]): Promise<void>;
  close(): void;
};

const TICK_MS = 10;
const ATTEMPTS_MAX = 12;
/** Exponential back-off: clients that retry every few seconds would be an overload of their own. */
const BACKOFF_MS = { base: 200, max: 10_000 };
const AT_ONCE = 16;
const LATE_MS_MAX = 250;
/** Temporary failures: no connection, rate limit, overload. */
const WORTH_ANOTHER_TRY: readonly number[] = [0, 429, 503];

/**
 * An open loop: requests are sent at their time, independent of earlier responses. Times and users
 * come from the seed. Requests missed for lack of CPU are skipped; sending them all at once would
 * be another fault.
 */
export function startLoad<E extends Entry>({
  random,
  requestsPerSecond,
  next,
  requestOf,
  onAnswer,
  retryChance = 0.6,
  retriesTimeouts = false,
}: LoadOptions<E>): Load<E> {
  const retried = [...WORTH_ANOTHER_TRY, ...(retriesTimeouts ? [408] : [])];
  const ledger = createLedger<E>();
  const poster = createPoster();
  const underway = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  async function sendOnce(entry: E): Promise<Attempt> {
    const attempt: Attempt = { sentAt: performance.now() };
    ledger.noteSent(entry, attempt);
    ledger.noteAnswer(attempt, await poster.post(requestOf(entry)));
    onAnswer?.(entry);
    return attempt;
  }

  async function deliver(entry: E, isPersistent: boolean): Promise<void> {
    ledger.open(entry);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const { status = 0, retryAfter = '0' } = await sendOnce(entry);
      if (!retried.includes(status) || !isPersistent) return;
      const backoffMs = Math.min(BACKOFF_MS.max, BACKOFF_MS.base * 2 ** (attempt - 1));
      await delay(Math.max(backoffMs, Number(retryAfter) * 1_000) * (0.75 + random() / 2));
    }
  }

  function begin(entry: E, isPersistent: boolean): Promise<void> {
    const delivery = deliver(entry, isPersistent).finally(() => underway.delete(delivery));
    underway.add(delivery);
    return delivery;
  }

  const startedAt = performance.now();
  let endedAt = startedAt;
  const running = (async () => {
    for (let sent = 0; !stopping.signal.aborted;) {
      const due = ((performance.now() - startedAt) / 1000) * requestsPerSecond;
      for (
        sent = Math.max(sent, Math.floor(due - (LATE_MS_MAX / 1000) * requestsPerSecond));
        sent < due;
        sent += 1
      )
        void begin(next(), random() < retryChance);
      await delay(TICK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  return {
    ledger,
    rate: () =>
      ledger.entries.filter(({ attempts: [first] }) => (first?.sentAt ?? Infinity) < endedAt)
        .length /
      ((endedAt - startedAt) / 1000),
    async stop() {
      if (!stopping.signal.aborted) endedAt = performance.now();
      stopping.abort();
      await running;
      await Promise.all(underway);
    },
    send: (entry) => begin(entry, true),
    async sendAll(entries) {
      const queue = [...entries];
      const work = async (): Promise<void> => {
        for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
          await deliver(entry, true);
          if (!isAcknowledged(entry))
            throw new Error(
              `a request without load was answered ${entry.attempts.at(-1)?.status}: ${entry.attempts.at(-1)?.detail}`,
            );
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
    close: () => poster.close(),
  };
}
