import type { BenchInstallation } from '../installation/bench-installation.ts';
import { drainBacklog } from '../installation/drain.ts';
import type { Durations } from './durations.ts';
import type { IngestBench } from './ingest-bench.ts';
import { findAcceptancePeak, findSustainedPeak } from './peak.ts';

export function createIngestBench(bench: BenchInstallation, durations: Durations): IngestBench {
  let accepted: Promise<number> | undefined;
  let sustained: Promise<number> | undefined;
  const settle = async (): Promise<void> => {
    await bench.startConsumers();
    const left = await drainBacklog(bench.lag, durations.drainMs);
    if (left > 0)
      console.error(
        `  the consumers are still ${left} records behind after ${durations.drainMs / 1000} s`,
      );
  };
  const acceptancePeak = (): Promise<number> =>
    (accepted ??= settle()
      .then(() => findAcceptancePeak(bench, { ...durations, measuredMs: durations.peakMs }))
      .finally(settle));
  return {
    bench,
    durations,
    settle,
    acceptancePeak,
    sustainedPeak: () =>
      (sustained ??= acceptancePeak()
        .then((peak) => findSustainedPeak({ bench, durations, settle }, peak))
        .finally(settle)),
  };
}
