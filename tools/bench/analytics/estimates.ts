import { estimateFunnel } from '@tidings/analytics/estimate-funnel';
import { askUsers } from '@tidings/segments/ask-users';
import { drawUsers } from '@tidings/segments/draws';
import type { Figure, PartReport } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { percentile } from '../report/percentile.ts';
import type { Asked } from '../segments/ask.ts';
import { countFunnel, readContext } from './ask.ts';
import { measureCost } from './cpu.ts';
import { BENCH_FUNNELS, rangeOf, type BenchFunnel } from './funnels.ts';

const CPU_RATIO_MAX = 0.08;
const P95_MAX_MS = 300;
const WARM_UPS = 2;

/** Estimates: their time by the API, their CPU beside the exact numbers, and whether bounds hold. */
export async function measureEstimates(asked: Asked): Promise<PartReport> {
  const figures: Figure[] = [];
  for (const each of BENCH_FUNNELS) figures.push(...(await measureEstimate(asked, each)));
  return { title: 'Estimates of funnels, from some 2,000 users', figures, data: {} };
}

async function measureEstimate(
  asked: Asked,
  { name, funnel, days }: BenchFunnel,
): Promise<readonly Figure[]> {
  console.error(`estimate: ${name} …`);
  const { db, applicationId, sizes } = asked;
  const context = await readContext(asked);
  const timesMs: number[] = [];
  for (let call = -WARM_UPS; call < sizes.calls; call += 1) {
    const now = Date.now();
    const { ms } = await asked.post('funnels/preview', { ...funnel, ...rangeOf(now, days) });
    if (call >= 0) timesMs.push(ms);
  }
  const ratios: number[] = [];
  const seconds: number[] = [];
  let [held, bounds] = [0, 0];
  for (let round = 0; round < sizes.rounds; round += 1) {
    const now = Date.now();
    const exact = await measureCost(db, () => countFunnel(asked, { context, funnel, days, now }));
    // The API draws once in a minute: it is no part of an estimate.
    const drawn = await drawUsers(db.sql, applicationId, round);
    const estimate = await measureCost(db, async () => {
      const answer = await askUsers(db, (sql) =>
        estimateFunnel(
          sql,
          { context, funnel, ...rangeOf(now, days), now, condition: null },
          { drawn, isOver: () => false },
        ),
      );
      if (answer === 'timed_out') throw new Error('An estimate timed out.');
      return answer;
    });
    ratios.push(estimate.cpuSeconds / exact.cpuSeconds);
    seconds.push(estimate.cpuSeconds);
    for (const [step, { low, high }] of estimate.result.steps.entries()) {
      const users = exact.result[step] ?? NaN;
      bounds += 1;
      if (low <= users && users <= high) held += 1;
    }
  }
  return [
    {
      name: `${name}, p95`,
      value: percentile(timesMs, 95),
      unit: 'ms',
      goal: { atMost: P95_MAX_MS },
      note: `p50 ${percentile(timesMs, 50).toFixed(1)} ms; ${held} of ${bounds} bounds hold`,
    },
    {
      name: '  its CPU beside the exact numbers',
      value: median(ratios),
      unit: 'ratio',
      goal: { atMost: CPU_RATIO_MAX },
      note: `${median(seconds).toFixed(2)} s of CPU`,
    },
  ];
}
