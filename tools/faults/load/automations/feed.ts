import { setTimeout as delay } from 'node:timers/promises';
import { isAcknowledged } from '../ledger.ts';
import { startLoad, type Load } from '../load.ts';
import type { Random } from '../random.ts';
import { bodyOf, type CartRequest, type Carts } from './carts.ts';

/** Sends the requests of people at their rate, each until it is accepted, some of them twice. */
export type Feed = {
  readonly load: Load<CartRequest>;
  /** How many have not been sent yet. */
  left(): number;
  /** Resolves when all are accepted, or given up. */
  done(): Promise<void>;
};

const TICK_MS = 10;

export function startFeed(
  { requests, again }: Carts,
  {
    random,
    requestsPerSecond,
    url,
    headers,
    signal,
  }: {
    readonly random: Random;
    readonly requestsPerSecond: number;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Feed {
  const load = startLoad<CartRequest>({
    random,
    // It has no requests of its own.
    requestsPerSecond: 0,
    next: () => {
      throw new Error('all requests are planned');
    },
    requestOf: (request) => ({ url, headers, body: bodyOf(request) }),
  });
  const queue = [...requests];
  const underway: Promise<void>[] = [];
  const send = async (request: CartRequest): Promise<void> => {
    await load.send(request);
    if (isAcknowledged(request) && again.has(request)) await load.send(request);
  };
  const startedAt = performance.now();
  const feeding = (async () => {
    while (queue.length > 0 && !signal.aborted) {
      const due = ((performance.now() - startedAt) / 1_000) * requestsPerSecond;
      while (requests.length - queue.length < due) {
        const request = queue.shift();
        if (request === undefined) break;
        underway.push(send(request));
      }
      await delay(TICK_MS);
    }
  })();
  return {
    load,
    left: () => queue.length,
    async done() {
      await feeding;
      await Promise.all(underway);
      await load.stop();
    },
  };
}
