import type { BenchInstallation } from '../installation/bench-installation.ts';
import { drainBacklog } from '../installation/drain.ts';
import type { Durations } from './durations.ts';
import { findPeak } from './peak.ts';

/** What the parts of one run share. */
export type IngestBench = {
  readonly bench: BenchInstallation;
  readonly durations: Durations;
  /** Accepted requests per second at most, measured when it is first asked for. */
  peakPerSecond(): Promise<number>;
  /** Lets the consumers catch up, so that the next part starts from rest. */
  settle(): Promise<void>;
};

export function createIngestBench(bench: BenchInstallation, durations: Durations): IngestBench {
  let peak: Promise<number> | undefined;
  const settle = async (): Promise<void> => {
    await bench.startConsumers();
    const left = await drainBacklog(bench.lag, durations.drainMs);
    if (left > 0) console.error(`  the consumers are still ${left} records behind after ${durations.drainMs / 1000} s`);
  };
  return {
    bench,
    durations,
    settle,
    peakPerSecond: () => (peak ??= settle().then(() => findPeak(bench, durations)).finally(settle)),
  };
}
