import { setTimeout as delay } from 'node:timers/promises';
import { readProcess } from './process-metrics.ts';

const INTERVAL_MS = 500;

/** Resident memory of some services, looked at until `stop`. */
export type MemoryWatch = {
  /** The most that each of them had, in the order they were named. */
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
  watching.catch(() => undefined); // Told by `stop`.
  return {
    async stop() {
      stopping.abort();
      await watching;
      return most;
    },
  };
}
