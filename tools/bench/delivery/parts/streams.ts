import { createApiKey } from '@tidings/accounts/api-keys';
import { setTimeout as delay } from 'node:timers/promises';
import { watchMemory } from '../../installation/memory-watch.ts';
import { readProcess } from '../../installation/process-metrics.ts';
import { MARKS } from '../../load/request-template.ts';
import { mebibytes, type Figure, type PartReport } from '../../report/figures.ts';
import { percentile } from '../../report/percentile.ts';
import type { DeliveryBench, ServiceUrls } from '../context.ts';
import { registerDevices } from '../register-devices.ts';
import { checkOpenFiles } from '../streams/open-files.ts';
import { startStreamHolder, type StreamHolder } from '../streams/start-stream-holder.ts';

const STREAMS = 5_000;
/** 300 MB. */
const MEMORY_MOST_MIB = 286;
const ARRIVAL_P99_MOST_MS = 1_000;
const OPENED_AT_A_TIME = 50;
const PER_SECOND = 20;
const WARM_UP_MS = 2_000;
const CONNECTIONS_MAX = 50;
const ARRIVED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
const SERVICE = 'client-api';

/**
 * Idle browser streams at one process: its memory and CPU, and the time until a pushed message
 * arrives.
 */
export async function measureStreams(
  run: DeliveryBench,
  serviceUrls: ServiceUrls,
): Promise<PartReport> {
  checkOpenFiles(STREAMS);
  const metricsUrl = run.bench.metricsUrl(SERVICE);
  const idle = await readProcess(metricsUrl);
  const memory = watchMemory([metricsUrl]);
  const holder = startStreamHolder();
  try {
    console.error(`  ${STREAMS} streams …`);
    const openSeconds = await openStreams(run, { holder, url: serviceUrls[SERVICE] ?? '' });
    const { residentBytes: openBytes } = await readProcess(metricsUrl);
    const arrivals = await measureArrivals(run, holder);
    const [mostBytes = NaN] = await memory.stop();
    const { open } = await holder.held();
    return {
      title: `${STREAMS} open streams at one ${SERVICE}`,
      figures: [
        ...memoryFigures({ idleBytes: idle.residentBytes, openBytes, mostBytes }),
        {
          name: 'streams opened',
          value: STREAMS / openSeconds,
          unit: 'perSecond',
          note: `${OPENED_AT_A_TIME} at a time`,
        },
        { name: 'open at the end', value: open, unit: 'count', goal: { atLeast: STREAMS } },
        ...arrivalFigures(arrivals),
      ],
      data: { idle, openBytes, mostBytes, open, arrivals },
    };
  } finally {
    await memory.stop().catch(() => undefined);
    holder.stop();
  }
}

function memoryFigures({
  idleBytes,
  openBytes,
  mostBytes,
}: Readonly<Record<'idleBytes' | 'openBytes' | 'mostBytes', number>>): Figure[] {
  return [
    {
      name: 'maximum memory',
      value: mebibytes(mostBytes),
      unit: 'mebibytes',
      goal: { atMost: MEMORY_MOST_MIB },
      note: 'resident; the goal is 300 MB',
    },
    {
      name: 'memory before',
      value: mebibytes(idleBytes),
      unit: 'mebibytes',
      note: 'without a stream',
    },
    { name: 'memory with all streams open', value: mebibytes(openBytes), unit: 'mebibytes' },
  ];
}

function arrivalFigures(arrivals: readonly number[]): Figure[] {
  return [
    {
      name: 'time from push to stream, p50',
      value: percentile(arrivals, 50),
      unit: 'ms',
      note: `${arrivals.length} pushes, ${PER_SECOND} a second`,
    },
    {
      name: 'time from push to stream, p99',
      value: percentile(arrivals, 99),
      unit: 'ms',
      goal: { atMost: ARRIVAL_P99_MOST_MS },
    },
  ];
}

/** Returns the elapsed seconds. */
async function openStreams(
  { bench }: DeliveryBench,
  { holder, url }: { readonly holder: StreamHolder; readonly url: string },
): Promise<number> {
  const { applicationId } = bench.tenant;
  const deviceIds = await registerDevices(bench, STREAMS);
  const made = await createApiKey(bench.db, { applicationId, type: 'client', name: 'Streams' });
  if (made === 'too_many') throw new Error('the application has its maximum number of keys');
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  await holder.open({
    host: hostname,
    port: Number(port),
    headers: { 'X-Application-Id': applicationId, 'X-API-Key': made.key },
    deviceIds,
    atATime: OPENED_AT_A_TIME,
  });
  return (performance.now() - startedAt) / 1000;
}

/**
 * Milliseconds from sending each push to the event in its user's stream; the message contains the
 * start time.
 */
async function measureArrivals(
  { bench, sizes }: DeliveryBench,
  holder: StreamHolder,
): Promise<number[]> {
  const startedAt = Date.now();
  const push = {
    channel: 'IN_APP',
    recipients: [`user-${MARKS.user}`],
    message: { body: `at/${MARKS.sequence}-${MARKS.time}` },
  };
  const target = bench.target({ users: STREAMS, content: { push } });
  const arrival = {
    type: 'open',
    requestsPerSecond: PER_SECOND,
    connectionsMax: CONNECTIONS_MAX,
  } as const;
  await bench.generator.run({
    streams: [{ name: 'pushes', target, arrival }],
    warmUpMs: WARM_UP_MS,
    measuredMs: sizes.singlesMs,
  });
  const { rows } = await bench.db.sql.query<{ pushes: number }>(
    `select count(*)::int as pushes from campaigns where application_id = $1 and message ->> 'body' like 'at/%'`,
    [bench.tenant.applicationId],
  );
  const expected = rows[0]?.pushes ?? NaN;
  const deadline = performance.now() + ARRIVED_WITHIN_MS;
  for (;;) {
    const { arrivals } = await holder.held();
    const all = Object.entries(arrivals).map(([mark, arrivedAt]) => ({
      sentAt: Number(mark.split('-')[1]),
      arrivedAt,
    }));
    if (all.length === expected)
      return all
        .filter(({ sentAt }) => sentAt >= startedAt + WARM_UP_MS)
        .map(({ sentAt, arrivedAt }) => arrivedAt - sentAt);
    if (performance.now() > deadline)
      throw new Error(`${all.length} of ${expected} messages arrived at their streams`);
    await delay(LOOK_EVERY_MS);
  }
}
