import { setTimeout as delay } from 'node:timers/promises';
import { workerName } from '@tidings/contracts';
import { watchMemory } from '../../installation/memory-watch.ts';
import { mebibytes, type PartReport } from '../../report/figures.ts';
import { percentile } from '../../report/percentile.ts';
import type { DeliveryBench } from '../context.ts';

const ACCEPTANCE_P99_MOST_MS = 30;
const HAND_OVER_P99_MOST_MS = 1_000;
const WORKER_MEMORY_MOST_MIB = 200;
const EVERY_MS = 100;
const CHANNEL = 'WEB_HOOK';

type Single = { readonly name: string; readonly sentAt: number; readonly acceptedAfterMs: number };

/** Single pushes while a campaign to many runs on the same channel: how soon each is accepted, and at its provider. */
export async function measureExpress(run: DeliveryBench): Promise<PartReport> {
  const { bench, sizes } = run;
  const memory = watchMemory([bench.metricsUrl(workerName(CHANNEL))]);
  const bulk = await run.push({ channel: CHANNEL, recipients: sizes.bulk });
  let isBulkDone = false;
  const bulkDone = run.completed(bulk.campaignId).finally(() => (isBulkDone = true));
  bulkDone.catch(() => undefined); // Told below.

  const singles: Promise<Single>[] = [];
  for (let index = 0; !isBulkDone; index += 1) {
    singles.push(pushSingle(run, `single-${index}`));
    await delay(EVERY_MS);
  }
  const { timing } = await bulkDone;
  const sent = await Promise.all(singles);
  const { arrivals } = await untilArrived(run, sent);
  const handedOver = sent.map(({ name, sentAt }) => (arrivals[name] ?? NaN) - sentAt);
  const accepted = sent.map(({ acceptedAfterMs }) => acceptedAfterMs);
  const [workerBytes = NaN] = await memory.stop();
  return {
    title: `One recipient at a time, while a campaign to ${sizes.bulk} runs (${CHANNEL})`,
    figures: [
      { name: 'accepted, p50', value: percentile(accepted, 50), unit: 'ms', note: `${sent.length} pushes, one every ${EVERY_MS} ms` },
      { name: 'accepted, p99', value: percentile(accepted, 99), unit: 'ms', goal: { atMost: ACCEPTANCE_P99_MOST_MS } },
      { name: 'at the provider, p50', value: percentile(handedOver, 50), unit: 'ms' },
      { name: 'at the provider, p99', value: percentile(handedOver, 99), unit: 'ms', goal: { atMost: HAND_OVER_P99_MOST_MS } },
      { name: 'the campaign meanwhile', value: sizes.bulk / (((timing.lastSentAt ?? NaN) - timing.createdAt) / 1000), unit: 'perSecond' },
      { name: 'memory of the worker at most', value: mebibytes(workerBytes), unit: 'mebibytes', goal: { atMost: WORKER_MEMORY_MOST_MIB } },
    ],
    data: { accepted, handedOver, timing, workerBytes },
  };
}

async function pushSingle({ push, sink }: DeliveryBench, name: string): Promise<Single> {
  const sentAt = Date.now();
  const startedAt = performance.now();
  await push({ channel: CHANNEL, recipients: 1, message: { url: `${sink.httpUrl}/at/${name}` } });
  return { name, sentAt, acceptedAfterMs: performance.now() - startedAt };
}

const ARRIVED_WITHIN_MS = 30_000;

async function untilArrived({ sink }: DeliveryBench, sent: readonly Single[]) {
  const deadline = performance.now() + ARRIVED_WITHIN_MS;
  for (;;) {
    const received = await sink.received();
    const missing = sent.filter(({ name }) => received.arrivals[name] === undefined);
    if (missing.length === 0) return received;
    if (performance.now() > deadline) throw new Error(`${missing.length} of ${sent.length} single pushes did not arrive`);
    await delay(EVERY_MS);
  }
}
