import { runClosedLoop } from './closed-loop.ts';
import { runOpenLoop } from './open-loop.ts';
import type { LoadPlan, LoadResult } from './plan.ts';
import { createTally } from './tally.ts';

const MICROSECONDS = 1_000_000;

/** Applies a load from this process; returns the responses and the CPU cost of sending. */
export async function runPlan({ streams, warmUpMs, measuredMs }: LoadPlan): Promise<LoadResult> {
  const startAt = performance.now();
  const window = { startsAt: startAt + warmUpMs, endsAt: startAt + warmUpMs + measuredMs };
  const cpuBefore = process.cpuUsage();
  const running = streams.map(async ({ name, target, arrival }) => {
    const tally = createTally(window);
    if (arrival.type === 'closed') await runClosedLoop(target, arrival, { window, tally });
    else await runOpenLoop(target, arrival, { startAt, window, tally });
    return tally.result(name);
  });
  const results = await Promise.all(running);
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds: (performance.now() - startAt) / 1000,
    cpuSeconds: (user + system) / MICROSECONDS,
    streams: results,
  };
}
