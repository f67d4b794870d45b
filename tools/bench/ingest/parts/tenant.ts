import { registerUsers } from '../../installation/register-users.ts';
import { createTenant } from '../../installation/tenants.ts';
import type { LoadResult, Stream, StreamResult } from '../../load/plan.ts';
import { startGenerator } from '../../load/start-generator.ts';
import type { Figure, PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { IngestBench } from '../ingest-bench.ts';
import { TYPICAL_MESSAGES } from '../peak.ts';

const ORDINARY_TENANTS = 3;
/** Share of the peak, per tenant. */
const ORDINARY_SHARE = 0.1;
const HOT_RATE_SHARE = 0.1;
/** Rate of the hot tenant as a multiple of its limit: just below it, and far above. */
const WITHIN_TIMES_RATE = 0.95;
const BEYOND_TIMES_RATE = 5;
const P99_RATIO_MOST = 1.5;
const CONNECTIONS_MAX = 300;

/** Cases for three ordinary tenants: no fourth tenant, one within its rate limit, one far above. */
const SIDES = ['without', 'within', 'beyond'] as const;
type Side = (typeof SIDES)[number];
type Measured = {
  readonly round: number;
  readonly side: Side;
  readonly ordinary: LoadResult;
  readonly hot?: LoadResult;
};

/** Additional latency of three ordinary tenants while a fourth one exceeds its rate limit. */
export async function measureTenants(run: IngestBench): Promise<PartReport> {
  const { bench, durations } = run;
  const peakPerSecond = await run.sustainedPeak();
  await run.settle();
  const hotRate = Math.max(1, Math.round(peakPerSecond * HOT_RATE_SHARE));
  const { ordinary, hot } = await createTenants(run, hotRate);

  const time = { warmUpMs: durations.warmUpMs, measuredMs: durations.tenantRoundMs };
  const openStream = (
    name: string,
    headers: Stream['target']['headers'],
    requestsPerSecond: number,
  ): Stream => ({
    name,
    target: bench.target({ headers, messagesPerRequest: TYPICAL_MESSAGES }),
    arrival: { type: 'open', requestsPerSecond, connectionsMax: CONNECTIONS_MAX },
  });
  // In another process: generating that load must not delay the other generators.
  const hotGenerator = startGenerator({ isMeasuring: false });
  const loadOrdinary = (): Promise<LoadResult> =>
    bench.generator.run({
      streams: ordinary.map(({ headers }, index) =>
        openStream(`ordinary ${index + 1}`, headers, peakPerSecond * ORDINARY_SHARE),
      ),
      ...time,
    });
  const loadBoth = async (timesRate: number): Promise<Pick<Measured, 'ordinary' | 'hot'>> => {
    const hotStream = openStream('hot', hot.headers, hotRate * timesRate);
    const [ordinaryLoad, hotLoad] = await Promise.all([
      loadOrdinary(),
      hotGenerator.run({ streams: [hotStream], ...time }),
    ]);
    return { ordinary: ordinaryLoad, hot: hotLoad };
  };
  const load: Record<Side, () => Promise<Pick<Measured, 'ordinary' | 'hot'>>> = {
    without: async () => ({ ordinary: await loadOrdinary() }),
    within: () => loadBoth(WITHIN_TIMES_RATE),
    beyond: () => loadBoth(BEYOND_TIMES_RATE),
  };
  try {
    const measured: Measured[] = [];
    for (let round = 1; round <= durations.tenantRounds; round += 1) {
      console.error(`  round ${round} of ${durations.tenantRounds} …`);
      // Alternating order, so that after-effects do not always hit the same case.
      for (const side of round % 2 === 1 ? SIDES : SIDES.toReversed())
        measured.push({ round, side, ...(await load[side]()) });
    }
    return {
      title: `A hot tenant at ${BEYOND_TIMES_RATE} times its rate limit of ${hotRate} requests/s, and three ordinary tenants`,
      figures: listFigures(measured),
      data: { peakPerSecond, hotRate, measured },
    };
  } finally {
    hotGenerator.stop();
  }
}

async function createTenants({ bench }: IngestBench, hotRate: number) {
  const ordinary = await Promise.all(
    Array.from({ length: ORDINARY_TENANTS }, (_, index) =>
      createTenant(bench.db, { name: `Ordinary ${index + 1}` }),
    ),
  );
  const hot = await createTenant(bench.db, {
    name: 'Hot',
    rate: { perSecond: hotRate, burst: hotRate },
  });
  for (const { headers } of ordinary) await registerUsers(bench, { headers });
  return { ordinary, hot };
}

function listFigures(measured: readonly Measured[]): Figure[] {
  const p99s = (side: Side): number[] =>
    measured
      .filter((one) => one.side === side)
      .toSorted((a, b) => a.round - b.round)
      .map(({ ordinary }) => Math.max(...ordinary.streams.map(({ latency }) => latency.p99Ms)));
  const [without, within, beyond] = [p99s('without'), p99s('within'), p99s('beyond')];
  // Ratio per round, so that changes of the machine affect both sides.
  const ratio = (above: readonly number[], below: readonly number[]): number =>
    median(above.map((value, round) => value / (below[round] ?? NaN)));
  const excess = measured
    .filter(({ side }) => side === 'beyond')
    .flatMap(({ hot }) => hot?.streams ?? []);
  const sum = (pick: (stream: StreamResult) => number): number =>
    excess.reduce((total, stream) => total + pick(stream), 0);
  return [
    {
      name: "others' p99, hot tenant over its rate : within it",
      value: ratio(beyond, within),
      unit: 'ratio',
      goal: { atMost: P99_RATIO_MOST },
      note: 'median of the rounds',
    },
    {
      name: "others' p99, hot tenant within its rate : no hot tenant",
      value: ratio(within, without),
      unit: 'ratio',
      note: 'allowed by its rate',
    },
    {
      name: "others' p99, hot tenant over its rate : no hot tenant",
      value: ratio(beyond, without),
      unit: 'ratio',
    },
    { name: "others' p99, no hot tenant", value: median(without), unit: 'ms' },
    { name: "others' p99, hot tenant within its rate", value: median(within), unit: 'ms' },
    { name: "others' p99, hot tenant over its rate", value: median(beyond), unit: 'ms' },
    {
      name: 'hot: accepted',
      value: (sum(({ accepted }) => accepted) / sum(({ due }) => due)) * 100,
      unit: 'percent',
    },
    {
      name: 'hot tenant: rejected with 429',
      value: (sum(({ refused }) => refused['429'] ?? 0) / sum(({ due }) => due)) * 100,
      unit: 'percent',
    },
  ];
}
