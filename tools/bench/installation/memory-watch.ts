import { setTimeout as delay } from 'node:timers/promises';
import { readProcess } from './process-metrics.ts';

const INTERVAL_MS = 500;

/** Samples the resident memory of some services until `stop`. */
export type MemoryWatch = {
  /** Maximum of each service, in the given order. */
  stop(): Promise<number[]>;
};

export function watchMemory(metricsUrls: readonly string[]): MemoryWatch {
  const most = metricsUrls.map(() => 0);
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const figures = await Promise.all(metricsUrls.map(readProcess));
      for (const [index, { residentBytes }] of figures.entries())
        most[index] = Math.max(most[index] ?? 0, residentBytes);
      await delay(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  watching.catch(() => undefined); // Reported by `stop`.
  return {
    async stop() {
      stopping.abort();
      await watching;
      return most;
    },
  };
}
