import { watchMemory } from '../../installation/memory-watch.ts';
import { readProcess } from '../../installation/process-metrics.ts';
import { mebibytes, type PartReport } from '../../report/figures.ts';
import { shareOfMachine } from '../../report/machine.ts';
import type { IngestBench } from '../context.ts';
import { TYPICAL_MESSAGES } from '../peak.ts';

const TIMES_PEAK = 2;
const GOODPUT_LEAST_PERCENT = 80;
/** More than the gateway takes into work, so that it is the gateway that refuses and not the generator that holds back. */
const CONNECTIONS_MAX = 3_000;
/** Refusals that are meant: too much for now, or more than the rate. */
const ORDERLY_STATUSES = ['503', '429'];

/** What is still accepted when twice the peak arrives, and how the rest is refused. */
export async function measureOverload(run: IngestBench): Promise<PartReport> {
  const { bench, durations } = run;
  const peakPerSecond = await run.acceptancePeak();
  await run.settle();
  const metricsUrl = bench.metricsUrl('gateway');
  const processId = bench.processId('gateway');
  const before = await readProcess(metricsUrl);
  console.error(`  ${Math.round(peakPerSecond * TIMES_PEAK)} requests a second …`);
  const target = bench.target({ messagesPerRequest: TYPICAL_MESSAGES });
  const stream = { name: 'twice', target, arrival: { type: 'open', requestsPerSecond: peakPerSecond * TIMES_PEAK, connectionsMax: CONNECTIONS_MAX } } as const;
  const memory = watchMemory([metricsUrl]);
  const load = await bench.generator.run({ streams: [stream], warmUpMs: durations.warmUpMs, measuredMs: durations.overloadMs });
  const [mostBytes = 0] = await memory.stop();
  const after = await readProcess(metricsUrl);
  const [result] = load.streams;
  if (result === undefined) throw new Error('the load has no result');

  const orderly = ORDERLY_STATUSES.reduce((sum, status) => sum + (result.refused[status] ?? 0), 0);
  const share = (count: number): number => (count / result.due) * 100;
  return {
    title: `At twice the peak of acceptance, open loop, ${TYPICAL_MESSAGES} messages a request`,
    figures: [
      { name: 'goodput of the peak', value: (result.acceptedPerSecond / peakPerSecond) * 100, unit: 'percent', goal: { atLeast: GOODPUT_LEAST_PERCENT } },
      { name: 'accepted', value: share(result.accepted), unit: 'percent', note: `of ${result.due} requests` },
      { name: 'refused with 503 or 429', value: share(orderly), unit: 'percent', note: JSON.stringify(result.refused) },
      { name: 'answered otherwise or not at all', value: result.due - result.accepted - orderly - result.unsent, unit: 'count', goal: { atMost: 0 } },
      { name: 'given up before sending', value: share(result.unsent), unit: 'percent', note: `of ${CONNECTIONS_MAX} connections none was free` },
      { name: 'acceptance p99', value: result.latency.p99Ms, unit: 'ms' },
      { name: 'memory of the gateway before', value: mebibytes(before.residentBytes), unit: 'mebibytes' },
      { name: 'memory of the gateway at most', value: mebibytes(mostBytes), unit: 'mebibytes' },
      { name: 'memory of the gateway after', value: mebibytes(after.residentBytes), unit: 'mebibytes' },
      { name: 'the gateway died', value: bench.processId('gateway') === processId ? 0 : 1, unit: 'count', goal: { atMost: 0 } },
      { name: "generator's share of the machine", value: shareOfMachine(load.cpuSeconds, load.seconds) * 100, unit: 'percent' },
    ],
    data: { peakPerSecond, load, residentBytes: { before: before.residentBytes, most: mostBytes, after: after.residentBytes } },
  };
}
