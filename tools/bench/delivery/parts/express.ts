import { setTimeout as delay } from 'node:timers/promises';
import { workerName } from '@tidings/contracts/topics';
import { costFigures, costsBetween } from '../../installation/costs.ts';
import { watchMemory } from '../../installation/memory-watch.ts';
import type { Latencies } from '../../load/plan.ts';
import { MARKS } from '../../load/request-template.ts';
import { mebibytes, type Figure, type PartReport } from '../../report/figures.ts';
import { percentile } from '../../report/percentile.ts';
import { BODY, type DeliveryBench } from '../context.ts';

const ACCEPTANCE_P99_MOST_MS = 30;
const HAND_OVER_P99_MOST_MS = 1_000;
const WORKER_MEMORY_MOST_MIB = 200;
/** Enough campaigns to outlast the single pushes. */
const CAMPAIGNS = 2;
const BESIDE_PER_SECOND = 20;
const WARM_UP_MS = 2_000;
const CONNECTIONS_MAX = 200;
const CHANNEL = 'WEB_HOOK';

type Singles = {
  readonly pushes: number;
  readonly accepted: Latencies;
  readonly handedOver: readonly number[];
};

/**
 * Single pushes while large campaigns run on the same channel, then without them: time until
 * accepted, and until sent to the provider.
 */
export async function measureExpress(run: DeliveryBench): Promise<PartReport> {
  const { bench, sizes } = run;
  const memory = watchMemory([bench.metricsUrl(workerName(CHANNEL))]);
  const before = await run.readCounters();
  const pushes = await Promise.all(
    Array.from({ length: CAMPAIGNS }, () => run.push({ channel: CHANNEL, recipients: sizes.bulk })),
  );
  const bulkDone = Promise.all(pushes.map(({ campaignId }) => run.completed(campaignId)));
  bulkDone.catch(() => undefined); // Handled below.

  const beside = await measureSingles(run, BESIDE_PER_SECOND);
  const measuredUntil = Date.now();
  const timings = (await bulkDone).map(({ timing }) => timing);
  const costs = costsBetween(before, await run.readCounters(), CAMPAIGNS * sizes.bulk);
  const alone = await measureSingles(run, sizes.singlesAlonePerSecond);
  const [workerBytes = NaN] = await memory.stop();
  const begunAt = Math.min(...timings.map(({ createdAt }) => createdAt));
  const bulkMs = Math.max(...timings.map(({ lastSentAt }) => lastSentAt ?? NaN)) - begunAt;
  return {
    title: `Single pushes (${CHANNEL}) beside ${CAMPAIGNS} campaigns to ${sizes.bulk} recipients, and alone`,
    figures: [
      ...besideFigures(beside),
      {
        name: 'campaigns meanwhile',
        value: (CAMPAIGNS * sizes.bulk) / (bulkMs / 1000),
        unit: 'perSecond',
      },
      ...costFigures([costs], 'delivery of the campaigns'),
      {
        name: 'campaigns running, share of the time',
        value: Math.min(100, (bulkMs / (measuredUntil - begunAt)) * 100),
        unit: 'percent',
        goal: { atLeast: 100 },
      },
      ...aloneFigures(alone, sizes.singlesAlonePerSecond),
      {
        name: 'maximum memory of the worker',
        value: mebibytes(workerBytes),
        unit: 'mebibytes',
        goal: { atMost: WORKER_MEMORY_MOST_MIB },
      },
    ],
    data: { beside, alone, timings, costs, workerBytes },
  };
}

function besideFigures({ pushes, accepted, handedOver }: Singles): Figure[] {
  return [
    {
      name: 'accepted, p50',
      value: accepted.p50Ms,
      unit: 'ms',
      note: `${pushes} pushes, ${BESIDE_PER_SECOND} a second`,
    },
    {
      name: 'accepted, p99',
      value: accepted.p99Ms,
      unit: 'ms',
      goal: { atMost: ACCEPTANCE_P99_MOST_MS },
    },
    { name: 'at the provider, p50', value: percentile(handedOver, 50), unit: 'ms' },
    {
      name: 'at the provider, p99',
      value: percentile(handedOver, 99),
      unit: 'ms',
      goal: { atMost: HAND_OVER_P99_MOST_MS },
    },
  ];
}

function aloneFigures({ pushes, accepted, handedOver }: Singles, perSecond: number): Figure[] {
  return [
    {
      name: 'alone: accepted, p99',
      value: accepted.p99Ms,
      unit: 'ms',
      note: `${pushes} pushes, ${perSecond} a second`,
    },
    { name: 'alone: at the provider, p50', value: percentile(handedOver, 50), unit: 'ms' },
    { name: 'alone: at the provider, p99', value: percentile(handedOver, 99), unit: 'ms' },
  ];
}

async function measureSingles(run: DeliveryBench, perSecond: number): Promise<Singles> {
  const { bench, sink, sizes } = run;
  const startedAt = Date.now();
  const url = `${sink.httpUrl}/at/${MARKS.sequence}-${MARKS.time}`;
  const target = bench.target({
    content: {
      push: { channel: CHANNEL, recipients: [`user-${MARKS.user}`], message: { body: BODY, url } },
    },
  });
  const arrival = {
    type: 'open',
    requestsPerSecond: perSecond,
    connectionsMax: CONNECTIONS_MAX,
  } as const;
  const { streams } = await bench.generator.run({
    streams: [{ name: 'singles', target, arrival }],
    warmUpMs: WARM_UP_MS,
    measuredMs: sizes.singlesMs,
  });
  const [singles] = streams;
  if (singles === undefined || singles.accepted < singles.due)
    throw new Error(`not every single push was accepted: ${JSON.stringify(singles)}`);
  return {
    pushes: singles.accepted,
    accepted: singles.latency,
    handedOver: await timesToSend(run, { startedAt, measuredFrom: startedAt + WARM_UP_MS }),
  };
}

const ARRIVED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

/**
 * Milliseconds from sending each push to its arrival at the sink, whose path contains the start
 * time.
 */
async function timesToSend(
  { bench, sink }: DeliveryBench,
  { startedAt, measuredFrom }: { readonly startedAt: number; readonly measuredFrom: number },
): Promise<number[]> {
  const { rows } = await bench.db.sql.query<{ pushes: number }>(
    'select count(*)::int as pushes from campaigns where application_id = $1 and recipients_requested = 1 and created_at >= to_timestamp($2::float8 / 1000)',
    [bench.tenant.applicationId, startedAt],
  );
  const expected = rows[0]?.pushes ?? NaN;
  const deadline = performance.now() + ARRIVED_WITHIN_MS;
  for (;;) {
    const { arrivals } = await sink.received();
    const ours = Object.entries(arrivals)
      .map(([name, arrivedAt]) => ({ sentAt: Number(name.split('-')[1]), arrivedAt }))
      .filter(({ sentAt }) => sentAt >= startedAt);
    if (ours.length === expected)
      return ours
        .filter(({ sentAt }) => sentAt >= measuredFrom)
        .map(({ sentAt, arrivedAt }) => arrivedAt - sentAt);
    if (performance.now() > deadline)
      throw new Error(`${expected - ours.length} of ${expected} single pushes did not arrive`);
    await delay(LOOK_EVERY_MS);
  }
}
