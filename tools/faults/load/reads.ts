import { setTimeout as delay } from 'node:timers/promises';
import type { RetryingCaller } from './retrying-caller.ts';
import { pick, type Random } from './random.ts';

export type ReadsOptions = {
  readonly random: Random;
  readonly url: string;
  /** Credentials of readers, one per application. */
  readonly readers: readonly Readonly<Record<string, string>>[];
  readonly perSecond: number;
  readonly caller: RetryingCaller;
};

/** Read requests of the dashboard and API clients. */
const PATHS = [
  'campaigns?limit=20',
  'users?limit=20',
  'channels',
  'overview',
  'suppressions?limit=20',
  'ingest',
] as const;

/** Sends read requests to the API at a constant rate until stopped. */
export function startReads({ random, url, readers, perSecond, caller }: ReadsOptions): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const underway = new Set<Promise<unknown>>();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const path = pick(random, PATHS);
      const reading = caller
        .call(`GET /api/v1/${path}`, {
          method: 'GET',
          url: `${url}/api/v1/${path}`,
          headers: pick(random, readers),
        })
        .finally(() => underway.delete(reading));
      underway.add(reading);
      await delay(1_000 / perSecond, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await Promise.all(underway);
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
