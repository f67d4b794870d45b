import type { Figure, PartReport } from '../report/figures.ts';
import type { Asked } from '../segments/ask.ts';
import { countByHand, countFunnel, readContext } from './ask.ts';
import { measureBeside } from './beside.ts';
import { BENCH_FUNNELS, rangeOf } from './funnels.ts';

const CPU_RATIO_MAX = 0.8;

/** Funnels folded in the process, beside SQL with a window pass for each step. */
export async function measureFolds(asked: Asked): Promise<PartReport> {
  const context = await readContext(asked);
  const figures: Figure[] = [];
  for (const { name, funnel, byHand, days, secondsMax } of BENCH_FUNNELS)
    figures.push(
      ...(await measureBeside(asked, {
        name,
        reference: 'SQL with a window pass a step',
        ratioMax: CPU_RATIO_MAX,
        secondsMax,
        own: (now) => countFunnel(asked, { context, funnel, days, now }),
        byHand: (now) => countByHand(asked, byHand, rangeOf(now, days)),
        describe: (numbers) => numbers.join(' → '),
      })),
    );
  const { users, events } = asked.sizes;
  return { title: `Funnels of ${users} users, ${events} events of 90 days`, figures, data: {} };
}
