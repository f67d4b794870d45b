import type { Database } from '@tidings/postgres/database';
import { setTimeout as delay } from 'node:timers/promises';
import { findDifferences } from './counters.ts';

export type CounterWatch = {
  /** Differences found by any check. */ stop(): Promise<readonly string[]>;
};

const INTERVAL_MS = 1_000;
/** The recounts must not be a load of their own: pause this multiple of their duration. */
const PAUSE_PER_LOOK = 10;

/** True reports at any time: recounts continuously, also during the fault. */
export function watchCounters(db: Database, applicationIds: readonly string[]): CounterWatch {
  const stopping = new AbortController();
  const found = new Set<string>();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const from = performance.now();
      // Postgres may be down at the moment.
      for (const difference of await findDifferences(db, applicationIds).catch(() => []))
        found.add(`during the fault: ${difference}`);
      await delay(Math.max(INTERVAL_MS, PAUSE_PER_LOOK * (performance.now() - from)), undefined, {
        signal: stopping.signal,
      }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
      return [...found];
    },
  };
}
