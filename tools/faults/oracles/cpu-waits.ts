import { readFileSync } from 'node:fs';
import type { Supervisor } from '@tidings/local';

export type Window = { readonly from: number; readonly to: number };

/** Time that processes waited for a CPU; distinguishes a slow product from a busy machine. */
export type CpuWaits = {
  /**
   * Longest wait among this process and the named services, between two times of
   * `performance.now()`.
   */
  longestMs(names: readonly string[], window: Window): number;
  stop(): void;
};

/** Total wait of a process at a time. */
export type Sample = { readonly at: number; readonly sumMs: number };

const INTERVAL_MS = 200;

export function watchCpuWaits(supervisor: Supervisor): CpuWaits {
  const own: Sample[] = [{ at: performance.now(), sumMs: 0 }];
  const services = new Map<
    string,
    (Sample & { readonly pid: number; readonly totalMs: number })[]
  >();
  const look = (): void => {
    const at = performance.now();
    const last = own.at(-1) ?? { at, sumMs: 0 };
    // For this process, count any delay: while it is late, every response looks late.
    own.push({ at, sumMs: last.sumMs + Math.max(0, at - last.at - INTERVAL_MS) });
    for (const { name, pid } of supervisor.list()) {
      const totalMs = cpuWaitMs(pid);
      const samples = services.get(name) ?? [];
      const before = samples.at(-1);
      const grownMs = before?.pid === pid ? Math.max(0, totalMs - before.totalMs) : 0;
      samples.push({ at, pid, totalMs, sumMs: (before?.sumMs ?? 0) + grownMs });
      services.set(name, samples);
    }
  };
  const timer = setInterval(look, INTERVAL_MS);
  return {
    longestMs(names, window) {
      if (performance.now() - (own.at(-1)?.at ?? 0) > INTERVAL_MS) look();
      return Math.max(
        ...[own, ...names.map((name) => services.get(name) ?? [])].map((samples) =>
          waitedMs(samples, window),
        ),
      );
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Total time that a process's main thread has waited for a CPU; 0 if the system does not report it.
 */
export function cpuWaitMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Interpolates linearly between two samples. */
export function waitedMs(samples: readonly Sample[], { from, to }: Window): number {
  return sumAt(samples, to) - sumAt(samples, from);
}

function sumAt(samples: readonly Sample[], at: number): number {
  // Binary search, because there are many samples and queries.
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [samples[low - 1], samples[low]];
  if (before === undefined) return after?.sumMs ?? 0;
  if (after === undefined) return before.sumMs;
  return before.sumMs + ((after.sumMs - before.sumMs) * (at - before.at)) / (after.at - before.at);
}
