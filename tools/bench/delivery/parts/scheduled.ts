import { setTimeout as delay } from 'node:timers/promises';
import type { Figure, PartReport } from '../../report/figures.ts';
import { percentile } from '../../report/percentile.ts';
import { BODY, type DeliveryBench } from '../context.ts';

const LATE_MOST_MS = 1_000;
const CHANNEL = 'WEB_HOOK';
/** Time to accept all pushes of a series before the first is due. */
const LEAD_MS = 5_000;
/** No multiple of the interval at which due campaigns are looked for. */
const STEP_MS = 97;
const PUSHES_AT_ONCE = 10;
const ARRIVED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

/**
 * How late pushes to one user that are scheduled arrive at their provider: one after the other, and
 * many for the same instant.
 */
export async function measureScheduled(run: DeliveryBench): Promise<PartReport> {
  const count = run.sizes.scheduled;
  const apart = await measureLateness(run, { count, stepMs: STEP_MS, series: 'apart' });
  const together = await measureLateness(run, { count, stepMs: 0, series: 'together' });
  return {
    title: `Scheduled pushes (${CHANNEL}): from sendAt to the provider`,
    figures: [
      ...figuresOf(`${count} pushes, ${STEP_MS} ms apart`, apart),
      ...figuresOf(`${count} pushes for one instant`, together),
    ],
    data: { apart, together },
  };
}

function figuresOf(what: string, lateMs: readonly number[]): Figure[] {
  return [
    { name: `${what}: earliest`, value: Math.min(...lateMs), unit: 'ms', goal: { atLeast: 0 } },
    { name: `${what}: p50`, value: percentile(lateMs, 50), unit: 'ms' },
    {
      name: `${what}: p99`,
      value: percentile(lateMs, 99),
      unit: 'ms',
      goal: { atMost: LATE_MOST_MS },
    },
    { name: `${what}: latest`, value: Math.max(...lateMs), unit: 'ms' },
  ];
}

/** Milliseconds from `sendAt` to the arrival at the sink, whose path contains it. */
async function measureLateness(
  { push, sink }: DeliveryBench,
  {
    count,
    stepMs,
    series,
  }: { readonly count: number; readonly stepMs: number; readonly series: string },
): Promise<number[]> {
  const firstAt = Date.now() + LEAD_MS;
  const due = Array.from({ length: count }, (_, index) => ({
    path: `${series}-${index}`,
    sendAt: firstAt + index * stepMs,
  }));
  for (let from = 0; from < count; from += PUSHES_AT_ONCE)
    await Promise.all(
      due.slice(from, from + PUSHES_AT_ONCE).map(async ({ path, sendAt }) => {
        const { status } = await push({
          channel: CHANNEL,
          recipients: 1,
          message: { body: BODY, url: `${sink.httpUrl}/at/${path}` },
          sendAt,
        });
        if (status !== 'scheduled') throw new Error('a push was accepted after its time');
      }),
    );
  const deadline = performance.now() + LEAD_MS + count * stepMs + ARRIVED_WITHIN_MS;
  for (;;) {
    const { arrivals } = await sink.received();
    const lateMs = due.flatMap(({ path, sendAt }) => {
      const arrivedAt = arrivals[path];
      return arrivedAt === undefined ? [] : [arrivedAt - sendAt];
    });
    if (lateMs.length === count) return lateMs;
    if (performance.now() > deadline)
      throw new Error(`${count - lateMs.length} of ${count} scheduled pushes did not arrive`);
    await delay(LOOK_EVERY_MS);
  }
}
