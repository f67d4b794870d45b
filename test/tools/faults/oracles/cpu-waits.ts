import { readFileSync } from 'node:fs';
import type { Supervisor } from '@tidings/local';

export type Window = { readonly from: number; readonly to: number };

/** How long processes could not run for want of a CPU: tells a slow product from a busy machine. */
export type CpuWaits = {
  /** Of this process and of the named services, that which waited longest between two times of `performance.now()`. */
  longestMs(names: readonly string[], window: Window): number;
  stop(): void;
};

/** What a process had waited in all, at some time. */
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
    // Of ourselves also what we could not do for another reason: while we are late, every answer looks late.
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

/** How long the main thread of a process has waited for a CPU since its birth; 0 where the system does not say. */
export function cpuWaitMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Between two looks a process is taken to have waited evenly. */
export function waitedMs(samples: readonly Sample[], { from, to }: Window): number {
  return sumAt(samples, to) - sumAt(samples, from);
}

function sumAt(samples: readonly Sample[], at: number): number {
  // By halves: there are many samples and many questions.
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
