import { registerUsers } from '../../installation/register-users.ts';
import { createTenant } from '../../installation/tenants.ts';
import type { LoadResult, Stream } from '../../load/plan.ts';
import { startGenerator } from '../../load/start-generator.ts';
import type { Figure, PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { IngestBench } from '../context.ts';
import { TYPICAL_MESSAGES } from '../peak.ts';

const ORDINARY_TENANTS = 3;
/** Of the peak, each. */
const ORDINARY_SHARE = 0.1;
const HOT_RATE_SHARE = 0.1;
/** What the hot tenant sends, as a multiple of its rate. */
const HOT_TIMES_RATE = 5;
const P99_RATIO_MOST = 1.5;
const CONNECTIONS_MAX = 300;

type Round = { readonly alone: LoadResult; readonly beside: LoadResult; readonly hot: LoadResult };

/** How much longer three ordinary tenants wait when a fourth one sends far more than its rate. */
export async function measureTenants(run: IngestBench): Promise<PartReport> {
  const { bench, durations } = run;
  const peakPerSecond = await run.sustainedPeak();
  await run.settle();
  const hotRate = Math.max(1, Math.round(peakPerSecond * HOT_RATE_SHARE));
  const ordinary = await Promise.all(Array.from({ length: ORDINARY_TENANTS }, (_, index) => createTenant(bench.db, { name: `Ordinary ${index + 1}` })));
  const hot = await createTenant(bench.db, { name: 'Hot', rate: { perSecond: hotRate, burst: hotRate } });
  for (const { headers } of ordinary) await registerUsers(bench, { headers });

  const openStream = (name: string, headers: Stream['target']['headers'], requestsPerSecond: number): Stream => ({
    name,
    target: bench.target({ headers, messagesPerRequest: TYPICAL_MESSAGES }),
    arrival: { type: 'open', requestsPerSecond, connectionsMax: CONNECTIONS_MAX },
  });
  const others = (): Stream[] => ordinary.map(({ headers }, index) => openStream(`ordinary ${index + 1}`, headers, peakPerSecond * ORDINARY_SHARE));
  const time = { warmUpMs: durations.warmUpMs, measuredMs: durations.tenantRoundMs };
  // From another process: what it takes to send that much must not delay the clocks of the others.
  const hotGenerator = startGenerator({ isMeasuring: false });
  try {
    const rounds: Round[] = [];
    for (let round = 1; round <= durations.tenantRounds; round += 1) {
      console.error(`  round ${round} of ${durations.tenantRounds} …`);
      const alone = await bench.generator.run({ streams: others(), ...time });
      const [beside, hotLoad] = await Promise.all([
        bench.generator.run({ streams: others(), ...time }),
        hotGenerator.run({ streams: [openStream('hot', hot.headers, hotRate * HOT_TIMES_RATE)], ...time }),
      ]);
      rounds.push({ alone, beside, hot: hotLoad });
    }
    return { title: `A tenant that sends ${HOT_TIMES_RATE} times its rate of ${hotRate} requests/s beside three ordinary ones`, figures: figuresOf(rounds), data: { peakPerSecond, hotRate, rounds } };
  } finally {
    hotGenerator.stop();
  }
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const p99Ms = (side: 'alone' | 'beside', index: number): number => median(rounds.map((round) => round[side].streams[index]?.latency.p99Ms ?? NaN));
  const tenants = Array.from({ length: ORDINARY_TENANTS }, (_, index) => ({ alone: p99Ms('alone', index), beside: p99Ms('beside', index) }));
  const ratios = tenants.map(({ alone, beside }) => beside / alone);
  const hotStreams = rounds.flatMap(({ hot }) => hot.streams);
  const sum = (pick: (stream: (typeof hotStreams)[number]) => number): number => hotStreams.reduce((total, stream) => total + pick(stream), 0);
  return [
    { name: "others' p99, with the hot one : without", value: Math.max(...ratios), unit: 'ratio', goal: { atMost: P99_RATIO_MOST }, note: `the worst of ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}` },
    { name: 'p99 without it', value: Math.max(...tenants.map(({ alone }) => alone)), unit: 'ms' },
    { name: 'p99 with it', value: Math.max(...tenants.map(({ beside }) => beside)), unit: 'ms' },
    { name: 'hot: accepted', value: (sum(({ accepted }) => accepted) / sum(({ due }) => due)) * 100, unit: 'percent' },
    { name: 'hot: refused with 429', value: (sum(({ refused }) => refused['429'] ?? 0) / sum(({ due }) => due)) * 100, unit: 'percent' },
  ];
}
