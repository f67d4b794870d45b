import { watchMemory } from '../../installation/memory-watch.ts';
import { readProcess } from '../../installation/process-metrics.ts';
import type { LoadResult, StreamResult } from '../../load/plan.ts';
import { mebibytes, type Figure, type PartReport } from '../../report/figures.ts';
import { shareOfMachine } from '../../report/machine.ts';
import { median } from '../../report/median.ts';
import type { IngestBench } from '../ingest-bench.ts';
import { findAcceptancePeak, TYPICAL_MESSAGES } from '../peak.ts';

const TIMES_PEAK = 2;
const GOODPUT_LEAST_PERCENT = 80;
/** More than the gateway accepts into work, so that requests wait in its queue. */
const CONNECTIONS_MAX = 3_000;
/** For one more round, reported only: waiting requests have a cost, too. */
const MANY_CONNECTIONS = 6_000;
/** Intended rejections: overload, or over the rate limit. */
const ORDERLY_STATUSES = ['503', '429'];

/** The acceptance peak, and the result of twice that load right after it. */
type Round = {
  readonly peakPerSecond: number;
  readonly load: LoadResult;
  readonly twice: StreamResult;
  readonly mostBytes: number;
};

/**
 * Requests still accepted at twice the peak, and how the rest is rejected. The consumers have a
 * backlog in both cases, and each round measures its own peak, so changes of the machine affect
 * both.
 */
export async function measureOverload(run: IngestBench): Promise<PartReport> {
  const { bench, durations } = run;
  const metricsUrl = bench.metricsUrl('gateway');
  const processId = bench.processId('gateway');
  await run.settle();
  const before = await readProcess(metricsUrl);
  const rounds: Round[] = [];
  for (let round = 1; round <= durations.overloadRounds; round += 1) {
    console.error(`  round ${round} of ${durations.overloadRounds} …`);
    rounds.push(await measureRound(run, metricsUrl, CONNECTIONS_MAX));
  }
  const withMany = await measureRound(run, metricsUrl, MANY_CONNECTIONS);
  const after = await readProcess(metricsUrl);

  const all = [...rounds, withMany];
  return {
    title: `At twice the acceptance peak, open loop, ${TYPICAL_MESSAGES} messages a request`,
    figures: [
      ...goodputFigures(rounds, withMany),
      ...responseFigures(all.map(({ twice }) => twice)),
      ...gatewayFigures({
        bytesBefore: before.residentBytes,
        bytesAfter: after.residentBytes,
        mostBytes: all.map(({ mostBytes }) => mostBytes),
        hasRestarted: bench.processId('gateway') !== processId,
      }),
      {
        name: "generator's share of the machine",
        value:
          median(rounds.map(({ load }) => shareOfMachine(load.cpuSeconds, load.seconds))) * 100,
        unit: 'percent',
      },
    ],
    data: {
      rounds,
      withMany,
      residentBytes: { before: before.residentBytes, after: after.residentBytes },
    },
  };
}

function goodputFigures(rounds: readonly Round[], withMany: Round): Figure[] {
  const goodput = ({ peakPerSecond, twice }: Round): number =>
    (twice.acceptedPerSecond / peakPerSecond) * 100;
  const goodputs = rounds.map(goodput);
  return [
    {
      name: 'goodput, share of the peak',
      value: median(goodputs),
      unit: 'percent',
      goal: { atLeast: GOODPUT_LEAST_PERCENT },
      note: `rounds: ${goodputs.map((percent) => percent.toFixed(1)).join(', ')}`,
    },
    {
      name: `goodput with ${MANY_CONNECTIONS} connections`,
      value: goodput(withMany),
      unit: 'percent',
      note: 'one round',
    },
    {
      name: 'acceptance peak',
      value: median(rounds.map(({ peakPerSecond }) => peakPerSecond)),
      unit: 'perSecond',
      note: 'requests; closed loop, measured right before',
    },
  ];
}

/** Responses to all requests that were due. */
function responseFigures(streams: readonly StreamResult[]): Figure[] {
  const sum = (pick: (stream: StreamResult) => number): number =>
    streams.reduce((total, stream) => total + pick(stream), 0);
  const due = sum((stream) => stream.due);
  const refused = (status: string): number => sum((stream) => stream.refused[status] ?? 0);
  const orderly = ORDERLY_STATUSES.reduce((total, status) => total + refused(status), 0);
  const share = (count: number): number => (count / due) * 100;
  return [
    {
      name: 'accepted',
      value: share(sum(({ accepted }) => accepted)),
      unit: 'percent',
      note: `of ${due} requests`,
    },
    {
      name: 'rejected with 503 or 429',
      value: share(orderly),
      unit: 'percent',
      note: ORDERLY_STATUSES.map((status) => `${status}: ${refused(status)}`).join(', '),
    },
    {
      name: 'other responses, or none',
      value: due - sum(({ accepted }) => accepted) - orderly - sum(({ unsent }) => unsent),
      unit: 'count',
      goal: { atMost: 0 },
    },
    {
      name: 'abandoned before sending',
      value: share(sum(({ unsent }) => unsent)),
      unit: 'percent',
      note: 'no free connection',
    },
  ];
}

function gatewayFigures({
  bytesBefore,
  bytesAfter,
  mostBytes,
  hasRestarted,
}: {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** By round. */
  readonly mostBytes: readonly number[];
  readonly hasRestarted: boolean;
}): Figure[] {
  return [
    {
      name: 'memory of the gateway, before',
      value: mebibytes(bytesBefore),
      unit: 'mebibytes',
    },
    {
      name: 'memory of the gateway, maximum',
      value: mebibytes(Math.max(...mostBytes)),
      unit: 'mebibytes',
      note: `rounds: ${mostBytes.map((bytes) => mebibytes(bytes).toFixed(0)).join(', ')}`,
    },
    {
      name: 'memory of the gateway, after',
      value: mebibytes(bytesAfter),
      unit: 'mebibytes',
    },
    {
      name: 'gateway restarts',
      value: hasRestarted ? 1 : 0,
      unit: 'count',
      goal: { atMost: 0 },
    },
  ];
}

async function measureRound(
  { bench, durations, settle }: IngestBench,
  metricsUrl: string,
  connectionsMax: number,
): Promise<Round> {
  const time = { warmUpMs: durations.warmUpMs, measuredMs: durations.overloadRoundMs };
  const peakPerSecond = await findAcceptancePeak(bench, time);
  await settle();
  const target = bench.target({ messagesPerRequest: TYPICAL_MESSAGES });
  const stream = {
    name: 'twice',
    target,
    arrival: { type: 'open', requestsPerSecond: peakPerSecond * TIMES_PEAK, connectionsMax },
  } as const;
  console.error(`  ${Math.round(peakPerSecond * TIMES_PEAK)} requests a second …`);
  const memory = watchMemory([metricsUrl]);
  const load = await bench.generator.run({ streams: [stream], ...time });
  const [mostBytes = 0] = await memory.stop();
  await settle();
  const [twice] = load.streams;
  if (twice === undefined) throw new Error('the load has no result');
  return { peakPerSecond, load, twice, mostBytes };
}
