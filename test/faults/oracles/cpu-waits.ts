import { readFileSync } from 'node:fs';
import type { Supervisor } from '@tidings/local';

/** How long processes were ready to run and the machine had no CPU for them: tells a slow product from a busy machine. */
export type CpuWaits = {
  /** Of this process and of the named services, that which waited longest between two times of `performance.now()`. */
  longestMs(names: readonly string[], window: { readonly from: number; readonly to: number }): number;
  stop(): void;
};

const INTERVAL_MS = 200;
const SELF = 'self';

export function watchCpuWaits(supervisor: Supervisor): CpuWaits {
  const series = new Map<string, Sample[]>();
  const look = (): void => {
    for (const { name, pid } of [{ name: SELF, pid: process.pid }, ...supervisor.list()]) {
      const totalMs = cpuWaitMs(pid);
      const samples = series.get(name) ?? [];
      const last = samples.at(-1);
      // A process that has just been born starts from zero: all it has waited was in this interval.
      const grownMs = last === undefined ? 0 : Math.max(0, totalMs - (last.pid === pid ? last.totalMs : 0));
      samples.push({ at: performance.now(), pid, totalMs, sumMs: (last?.sumMs ?? 0) + grownMs });
      series.set(name, samples);
    }
  };
  look();
  const timer = setInterval(look, INTERVAL_MS);
  return {
    longestMs: (names, window) => Math.max(...[SELF, ...names].map((name) => waitedMs(series.get(name) ?? [], window))),
    stop: () => clearInterval(timer),
  };
}

/** How long the main thread of a process has waited for a CPU since its birth; 0 where the system does not say. */
export function cpuWaitMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

export type Sample = { readonly at: number; readonly pid: number; readonly totalMs: number; readonly sumMs: number };

/** Only whole intervals inside of the window count: what lay outside excuses nothing. */
export function waitedMs(samples: readonly Pick<Sample, 'at' | 'sumMs'>[], { from, to }: { readonly from: number; readonly to: number }): number {
  const first = samples[firstAfter(samples, from)];
  const last = samples[firstAfter(samples, to) - 1];
  return first === undefined || last === undefined ? 0 : Math.max(0, last.sumMs - first.sumMs);
}

/** By halves: there are many samples and many questions. */
function firstAfter(samples: readonly { readonly at: number }[], at: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
