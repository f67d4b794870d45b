import { countAll, type Asked } from './ask.ts';
import type { Figure, PartReport } from '../report/figures.ts';
import { percentile } from '../report/percentile.ts';
import { SEGMENT_QUESTIONS, type SegmentQuestion } from './questions.ts';

const RATIO_MAX = 1.3;
const ESTIMATE_MOST_MS = 300;
const WARM_UPS = 2;

/** Questions about all users: the estimate and the exact count of the API, and the statement by hand. */
export async function measureAllUsers(asked: Asked): Promise<Record<string, PartReport>> {
  const estimates: Figure[] = [];
  const counts: Figure[] = [];
  for (const question of SEGMENT_QUESTIONS) {
    console.error(`${question.name} …`);
    const estimate = await measureEstimate(asked, question);
    estimates.push(estimate);
    const counted = await measureCount(asked, question);
    counts.push(...counted);
    // A later question may fail.
    for (const { name, value, unit, note } of [estimate, ...counted])
      console.error(`  ${name}: ${value.toFixed(2)} ${unit} (${note ?? ''})`);
  }
  const { users, events } = asked.sizes;
  const of = `${users} users, ${events} events of 90 days`;
  return {
    estimate: { title: `Estimates, from some 2,000 users of ${of}`, figures: estimates, data: {} },
    count: {
      title: `Exact counts, with those whom each channel reaches: ${of}`,
      figures: counts,
      data: {},
    },
  };
}

async function measureEstimate(
  { post, sizes: { calls } }: Asked,
  { name, condition }: SegmentQuestion,
): Promise<Figure> {
  const timesMs: number[] = [];
  for (let call = -WARM_UPS; call < calls; call += 1) {
    const { ms } = await post('segments/preview', { condition });
    if (call >= 0) timesMs.push(ms);
  }
  return {
    name: `${name}, p95`,
    value: percentile(timesMs, 95),
    unit: 'ms',
    goal: { atMost: ESTIMATE_MOST_MS },
    note: `p50 ${percentile(timesMs, 50).toFixed(1)} ms`,
  };
}

/** The API, its statement alone, and the one by hand, in turn. */
async function measureCount(
  asked: Asked,
  { name, condition, byHand, goal }: SegmentQuestion,
): Promise<readonly Figure[]> {
  const [api, alone, hand] = [[], [], []] as [number[], number[], number[]];
  let members = 0;
  for (let round = -1; round < asked.sizes.rounds; round += 1) {
    const answer = await asked.post<{ readonly count: number }>('segments/count', { condition });
    const compiled = await countAll(asked, condition);
    const written = await asked.count(byHand);
    members = answer.body.count;
    // The clock moves on between them, so a few users enter and leave.
    if (Math.abs(compiled.count - written.count) > Math.max(5, members / 1_000))
      throw new Error(`${name}: ${compiled.count} by the condition, ${written.count} by hand.`);
    if (round < 0) continue;
    api.push(answer.ms);
    alone.push(compiled.ms);
    hand.push(written.ms);
  }
  const [apiMs, aloneMs, handMs] = [api, alone, hand].map((times) => percentile(times, 50)) as [
    number,
    number,
    number,
  ];
  return [
    {
      name,
      value: apiMs / 1_000,
      unit: 'seconds',
      goal: { atMost: goal },
      note: `${members} members; worst ${(Math.max(...api) / 1_000).toFixed(1)} s`,
    },
    {
      name: '  its statement beside SQL by hand',
      value: aloneMs / handMs,
      unit: 'ratio',
      goal: { atMost: RATIO_MAX },
      note: `${aloneMs.toFixed(0)} ms beside ${handMs.toFixed(0)} ms`,
    },
  ];
}
