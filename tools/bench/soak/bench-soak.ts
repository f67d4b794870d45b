import { setTimeout as delay } from 'node:timers/promises';
import {
  startBenchInstallation,
  type BenchInstallation,
} from '../installation/bench-installation.ts';
import { registerUsers } from '../installation/register-users.ts';
import { createIngestBench } from '../ingest/context.ts';
import { FULL, QUICK } from '../ingest/durations.ts';
import { TYPICAL_MESSAGES } from '../ingest/peak.ts';
import type { LoadResult } from '../load/plan.ts';
import { machineFacts, shareOfMachine } from '../report/machine.ts';
import { writeResults } from '../report/write-results.ts';
import { renderStoreSettings } from '../installation/store-settings.ts';
import { INSPECTED } from '../../stack/inspect-heap.ts';
import { renderSeries, decideVerdict } from './render-soak.ts';
import { takeSample, type Sample } from './sampler.ts';
import { toSeries } from './series-of-samples.ts';
import { computeTrend } from './series.ts';

export type SoakOptions = {
  readonly minutes: number;
  readonly share: number;
  readonly isQuick: boolean;
};

type Schedule = {
  readonly durationMs: number;
  readonly sampleEveryMs: number;
  readonly samplesPerHeap: number;
};

const MS_PER_MINUTE = 60_000;
const SAMPLE_EVERY_MS = 15_000;
const SAMPLES_PER_HEAP = 4;
/** Smoke test only. */
const QUICK_SCHEDULE: Schedule = { durationMs: 16_000, sampleEveryMs: 1_000, samplesPerHeap: 2 };
const CONNECTIONS_MAX = 500;

/** A steady share of the peak for a long time: checks that nothing grows without limit. */
export async function benchSoak({ minutes, share, isQuick }: SoakOptions): Promise<void> {
  const machine = machineFacts();
  const schedule = isQuick
    ? QUICK_SCHEDULE
    : {
        durationMs: minutes * MS_PER_MINUTE,
        sampleEveryMs: SAMPLE_EVERY_MS,
        samplesPerHeap: SAMPLES_PER_HEAP,
      };
  console.error('Starting an installation …');
  const bench = await startBenchInstallation({ env: INSPECTED });
  try {
    await registerUsers(bench);
    const peakPerSecond = await createIngestBench(bench, isQuick ? QUICK : FULL).sustainedPeak();
    const requestsPerSecond = peakPerSecond * share;
    const what = `${Math.round(requestsPerSecond)} requests a second of ${TYPICAL_MESSAGES} messages (${(share * 100).toFixed(0)} % of the peak) for ${(schedule.durationMs / MS_PER_MINUTE).toFixed(1)} minutes`;
    console.error(`${what} …`);
    const { load, samples } = await loadAndSample(bench, requestsPerSecond, schedule);

    const series = toSeries(samples, requestsPerSecond);
    const [result] = load.streams;
    console.log(`\n${what}\n`);
    console.log(renderSeries(series));
    console.log(
      `\n  ${result?.accepted} of ${result?.due} requests accepted, p99 ${result?.latency.p99Ms.toFixed(1)} ms; generator ${(shareOfMachine(load.cpuSeconds, load.seconds) * 100).toFixed(0)} % of the machine`,
    );
    console.log(
      `\n${decideVerdict(series, samples)}${isQuick ? '  --quick: this result means nothing.' : ''}`,
    );
    console.log(renderStoreSettings(bench.stores));
    writeResults('soak', {
      at: new Date().toISOString(),
      isQuick,
      machine,
      stores: bench.stores,
      share,
      peakPerSecond,
      load,
      series: series.map((one) => ({ ...one, trend: computeTrend(one) })),
      samples,
    });
  } finally {
    await bench.stop();
  }
}

async function loadAndSample(
  bench: BenchInstallation,
  requestsPerSecond: number,
  { durationMs, sampleEveryMs, samplesPerHeap }: Schedule,
): Promise<{ load: LoadResult; samples: Sample[] }> {
  const target = bench.target({ messagesPerRequest: TYPICAL_MESSAGES, content: 'mixed' });
  const stream = {
    name: 'soak',
    target,
    arrival: { type: 'open', requestsPerSecond, connectionsMax: CONNECTIONS_MAX },
  } as const;
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const sampling = async (): Promise<void> => {
    for (let number = 0; number * sampleEveryMs < durationMs; number += 1) {
      await delay(Math.max(0, startedAt + number * sampleEveryMs - performance.now()));
      samples.push(
        await takeSample(bench, {
          atSeconds: (performance.now() - startedAt) / 1000,
          hasHeap: number % samplesPerHeap === 0,
        }),
      );
    }
  };
  const [load] = await Promise.all([
    bench.generator.run({ streams: [stream], warmUpMs: 0, measuredMs: durationMs }),
    sampling(),
  ]);
  return { load, samples };
}
