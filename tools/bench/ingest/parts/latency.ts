import { setTimeout as delay } from 'node:timers/promises';
import { costFigures, costsBetween, readCounters } from '../../installation/costs.ts';
import { INGEST_CONSUMERS } from '../../installation/ingest-lag.ts';
import { watchMemory } from '../../installation/memory-watch.ts';
import { probeVisibility } from '../../installation/visibility-probe.ts';
import type { Latencies } from '../../load/plan.ts';
import { mebibytes, type Figure, type PartReport } from '../../report/figures.ts';
import { shareOfMachine } from '../../report/machine.ts';
import type { IngestBench } from '../ingest-bench.ts';
import { TYPICAL_MESSAGES } from '../peak.ts';

const SHARE_OF_PEAK = 0.5;
const ACCEPTANCE_P99_MOST_MS = 50;
const VISIBILITY_P99_MOST_MS = 2_000;
const CONNECTIONS_MAX = 500;
const WATCHED = ['gateway', ...INGEST_CONSUMERS];

/** Latency of acceptance and visibility at half the sustained peak, with a constant rate. */
export async function measureLatency(run: IngestBench): Promise<PartReport> {
  const { bench, durations } = run;
  const peakPerSecond = await run.sustainedPeak();
  const offeredPerSecond = peakPerSecond * SHARE_OF_PEAK;
  const before = await readCounters(bench);
  const { load, result, seen } = await observeLoad(run, offeredPerSecond);
  const seconds = (durations.warmUpMs + durations.latencyMs) / 1000;
  const events = offeredPerSecond * seconds * TYPICAL_MESSAGES;
  const costs = costsBetween(before, await readCounters(bench), events);
  return {
    title: `At half the peak, open loop, ${TYPICAL_MESSAGES} messages a request`,
    figures: [
      {
        name: 'acceptance peak',
        value: await run.acceptancePeak(),
        unit: 'perSecond',
        note: 'requests; the consumers fall behind',
      },
      {
        name: 'peak',
        value: peakPerSecond,
        unit: 'perSecond',
        note: `requests; ${Math.round(peakPerSecond * TYPICAL_MESSAGES)} events/s, the consumers keep up`,
      },
      {
        name: 'offered',
        value: offeredPerSecond,
        unit: 'perSecond',
        note: `requests; ${result.due - result.accepted} of ${result.due} not accepted`,
      },
      ...costFigures([costs], 'event'),
      ...acceptanceFigures(result.latency),
      ...observedFigures(seen),
      {
        name: "generator's share of the machine",
        value: shareOfMachine(load.cpuSeconds, load.seconds) * 100,
        unit: 'percent',
      },
    ],
    data: { peakPerSecond, offeredPerSecond, load, costs, ...seen },
  };
}

async function observeLoad(run: IngestBench, requestsPerSecond: number) {
  const { bench, durations } = run;
  console.error(`  ${Math.round(requestsPerSecond)} requests a second …`);
  const target = bench.target({ messagesPerRequest: TYPICAL_MESSAGES });
  const stream = {
    name: 'half',
    target,
    arrival: { type: 'open', requestsPerSecond, connectionsMax: CONNECTIONS_MAX },
  } as const;
  const loading = bench.generator.run({
    streams: [stream],
    warmUpMs: durations.warmUpMs,
    measuredMs: durations.latencyMs,
  });
  const looking = delay(durations.warmUpMs).then(() => look(run));
  const [load, seen] = await Promise.all([loading, looking]);
  const [result] = load.streams;
  if (result === undefined) throw new Error('the load has no result');
  return { load, result, seen };
}

function acceptanceFigures({ p50Ms, p99Ms }: Latencies): Figure[] {
  return [
    { name: 'acceptance p50', value: p50Ms, unit: 'ms' },
    {
      name: 'acceptance p99',
      value: p99Ms,
      unit: 'ms',
      goal: { atMost: ACCEPTANCE_P99_MOST_MS },
    },
  ];
}

function observedFigures({ visibility, lagAtEnd, residentBytes }: Observed): Figure[] {
  return [
    { name: 'visibility p50', value: visibility.p50Ms, unit: 'ms' },
    {
      name: 'visibility p99',
      value: visibility.p99Ms,
      unit: 'ms',
      goal: { atMost: VISIBILITY_P99_MOST_MS },
      note: `${visibility.seen} probes visible, ${visibility.unseen} not visible, ${visibility.refused} rejected`,
    },
    { name: 'lag at the end', value: lagAtEnd, unit: 'count', note: 'records' },
    ...WATCHED.map((name, index) => ({
      name: `maximum memory of ${name}`,
      value: mebibytes(residentBytes[index] ?? 0),
      unit: 'mebibytes' as const,
    })),
  ];
}

type Observed = Awaited<ReturnType<typeof look>>;

/** Observed from outside while the load runs. */
async function look({ bench, durations }: IngestBench) {
  const memory = watchMemory(WATCHED.map((name) => bench.metricsUrl(name)));
  const lagAtEnd = delay(durations.latencyMs).then(() => bench.lag.read());
  const [visibility, lag] = await Promise.all([
    probeVisibility(bench.db, bench.target({}), durations.latencyMs),
    lagAtEnd,
  ]);
  return { visibility, lagAtEnd: lag, residentBytes: await memory.stop() };
}
