import { setTimeout as delay } from 'node:timers/promises';
import { workerName } from '@tidings/contracts';
import { watchMemory } from '../../installation/memory-watch.ts';
import type { StreamResult } from '../../load/plan.ts';
import { MARKS } from '../../load/request-template.ts';
import { mebibytes, type PartReport } from '../../report/figures.ts';
import { percentile } from '../../report/percentile.ts';
import { BODY, type DeliveryBench } from '../context.ts';

const ACCEPTANCE_P99_MOST_MS = 30;
const HAND_OVER_P99_MOST_MS = 1_000;
const WORKER_MEMORY_MOST_MIB = 200;
const PER_SECOND = 20;
const WARM_UP_MS = 2_000;
const CHANNEL = 'WEB_HOOK';

/** Single pushes while a campaign to many runs on the same channel: how soon each is accepted, and at its provider. */
export async function measureExpress(run: DeliveryBench): Promise<PartReport> {
  const { bench, sizes } = run;
  const memory = watchMemory([bench.metricsUrl(workerName(CHANNEL))]);
  const bulk = await run.push({ channel: CHANNEL, recipients: sizes.bulk });
  const bulkDone = run.completed(bulk.campaignId);
  bulkDone.catch(() => undefined); // Told below.

  const singles = await pushSingles(run);
  const measuredUntil = Date.now();
  const { timing } = await bulkDone;
  const handedOver = await handOverTimes(run, singles);
  const [workerBytes = NaN] = await memory.stop();
  const bulkMs = (timing.lastSentAt ?? NaN) - timing.createdAt;
  return {
    title: `One recipient at a time, while a campaign to ${sizes.bulk} runs (${CHANNEL})`,
    figures: [
      { name: 'accepted, p50', value: singles.latency.p50Ms, unit: 'ms', note: `${singles.accepted} pushes, ${PER_SECOND} a second` },
      { name: 'accepted, p99', value: singles.latency.p99Ms, unit: 'ms', goal: { atMost: ACCEPTANCE_P99_MOST_MS } },
      { name: 'at the provider, p50', value: percentile(handedOver, 50), unit: 'ms' },
      { name: 'at the provider, p99', value: percentile(handedOver, 99), unit: 'ms', goal: { atMost: HAND_OVER_P99_MOST_MS } },
      { name: 'the campaign meanwhile', value: sizes.bulk / (bulkMs / 1000), unit: 'perSecond' },
      { name: 'of the time, it ran', value: Math.min(100, (bulkMs / (measuredUntil - timing.createdAt)) * 100), unit: 'percent', goal: { atLeast: 100 } },
      { name: 'memory of the worker at most', value: mebibytes(workerBytes), unit: 'mebibytes', goal: { atMost: WORKER_MEMORY_MOST_MIB } },
    ],
    data: { singles, handedOver, timing, workerBytes },
  };
}

async function pushSingles({ bench, sink, sizes }: DeliveryBench): Promise<StreamResult> {
  const url = `${sink.httpUrl}/at/${MARKS.sequence}-${MARKS.time}`;
  const target = bench.target({ content: { push: { channel: CHANNEL, recipients: [`user-${MARKS.user}`], message: { body: BODY, url } } } });
  const arrival = { type: 'open', requestsPerSecond: PER_SECOND, connectionsMax: PER_SECOND } as const;
  const { streams } = await bench.generator.run({ streams: [{ name: 'singles', target, arrival }], warmUpMs: WARM_UP_MS, measuredMs: sizes.singlesMs });
  const [singles] = streams;
  if (singles === undefined || singles.accepted < singles.due) throw new Error(`not every single push was accepted: ${JSON.stringify(singles)}`);
  return singles;
}

const ARRIVED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** Milliseconds from the sending of each push to its arrival: its address at the sink tells when it was sent. */
async function handOverTimes({ sink, sizes }: DeliveryBench, { accepted }: StreamResult): Promise<number[]> {
  // The ones of the warm-up too.
  const expected = Math.round((accepted * (sizes.singlesMs + WARM_UP_MS)) / sizes.singlesMs);
  const deadline = performance.now() + ARRIVED_WITHIN_MS;
  for (;;) {
    const arrivals = Object.entries((await sink.received()).arrivals);
    if (arrivals.length >= expected) return arrivals.map(([name, arrivedAt]) => arrivedAt - Number(name.split('-')[1]));
    if (performance.now() > deadline) throw new Error(`${expected - arrivals.length} of ${expected} single pushes did not arrive`);
    await delay(LOOK_EVERY_MS);
  }
}
