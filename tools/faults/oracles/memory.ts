import { readFileSync } from 'node:fs';
import type { Supervisor } from '@tidings/local';

/**
 * Resident memory of each service in bytes: the maximum since the last `begin`, and the value then.
 */
export type MemoryWatch = {
  begin(): void;
  peaks(): ReadonlyMap<string, { readonly first: number; readonly most: number }>;
  stop(): void;
};

const INTERVAL_MS = 250;

export function watchMemory(supervisor: Supervisor): MemoryWatch {
  let peaks = new Map<string, { first: number; most: number }>();
  const look = (): void => {
    for (const { name, pid } of supervisor.list()) {
      const bytes = residentBytes(pid);
      if (bytes === undefined) continue;
      const peak = peaks.get(name);
      peaks.set(
        name,
        peak === undefined
          ? { first: bytes, most: bytes }
          : { ...peak, most: Math.max(peak.most, bytes) },
      );
    }
  };
  const timer = setInterval(look, INTERVAL_MS);
  return {
    begin() {
      peaks = new Map();
      look();
    },
    peaks: () => peaks,
    stop: () => clearInterval(timer),
  };
}

/** Undefined if the process is gone, or there is no /proc. */
export function residentBytes(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
