import { setTimeout as delay } from 'node:timers/promises';
import {
  startBenchInstallation,
  type BenchInstallation,
  type Form,
} from '../installation/bench-installation.ts';
import {
  costsBetween,
  listProcesses,
  readCounters,
  type CostGroup,
  type Costs,
} from '../installation/costs.ts';
import { drainBacklog } from '../installation/drain.ts';
import { readProportionalBytes } from '../installation/proportional-memory.ts';
import { registerUsers } from '../installation/register-users.ts';
import type { StoreSettings } from '../installation/store-settings.ts';
import { createDeliveryBench } from '../delivery/context.ts';
import { sendCampaign } from '../delivery/send-campaign.ts';
import { QUICK as QUICK_DELIVERY } from '../delivery/sizes.ts';
import { startSink, type Sink } from '../delivery/sink/start-sink.ts';
import type { LoadPlan, StreamResult } from '../load/plan.ts';
import { writeUsers } from '../rows/write-users.ts';
import type { FormSizes } from './sizes.ts';

/** Bytes by group of processes. */
export type Memory = Readonly<Partial<Record<CostGroup, number>>>;

/** What one form of the installation takes and gives. */
export type FormRun = {
  readonly idle: { readonly memory: Memory; readonly cpuShare: number };
  readonly mails: { readonly perSecond: number; readonly costs: Costs };
  readonly events: { readonly perSecond: number; readonly costs: Costs };
  readonly acceptance: StreamResult;
  /** After all loads. */
  readonly memoryAtEnd: Memory;
  readonly stores: StoreSettings;
};

const SETTLE_MS = 20_000;
const DRAIN_MS = 180_000;
const EVENTS_PER_REQUEST = 100;
const CONNECTIONS = 16;
const ACCEPTANCE_CONNECTIONS_MAX = 500;
const WARM_UP_MS = 3_000;

/** Starts an installation, measures it idle and under each load in turn, and stops it. */
export async function measureForm(form: Form, sizes: FormSizes): Promise<FormRun> {
  const sink = await startSink();
  const bench = await startBenchInstallation({ form, services: 'all' }).catch((error: unknown) => {
    sink.stop();
    throw error;
  });
  try {
    const idle = await measureIdle(bench, sizes.idleMs);
    const mails = await measureMails(bench, { sink, mails: sizes.mails });
    const events = await measureEvents(bench, sizes.eventRequests);
    const acceptance = await measureAcceptance(bench, sizes);
    return {
      idle,
      mails,
      events,
      acceptance,
      memoryAtEnd: readMemory(bench),
      stores: bench.stores,
    };
  } finally {
    sink.stop();
    await bench.stop();
  }
}

async function measureIdle(bench: BenchInstallation, idleMs: number): Promise<FormRun['idle']> {
  console.error('  idle …');
  await delay(SETTLE_MS);
  const before = await readCounters(bench);
  await delay(idleMs);
  const { cpuSeconds } = costsBetween(before, await readCounters(bench), idleMs / 1000);
  return {
    memory: readMemory(bench),
    cpuShare: Object.values(cpuSeconds).reduce((sum, share) => sum + share, 0),
  };
}

function readMemory(bench: BenchInstallation): Memory {
  const memory: Partial<Record<CostGroup, number>> = {};
  for (const { group, processId } of listProcesses(bench))
    memory[group] = (memory[group] ?? 0) + readProportionalBytes(processId);
  return memory;
}

async function measureMails(
  bench: BenchInstallation,
  { sink, mails }: { readonly sink: Sink; readonly mails: number },
): Promise<FormRun['mails']> {
  console.error(`  ${mails} mails …`);
  await writeUsers(bench.db, { applicationId: bench.tenant.applicationId, count: mails });
  const run = await createDeliveryBench(bench, {
    sink,
    sizes: QUICK_DELIVERY,
    channels: ['EMAIL'],
  });
  // The first campaign compiles what the next one runs.
  await sendCampaign(run, { channel: 'EMAIL', recipients: Math.ceil(mails / 10) });
  return sendCampaign(run, { channel: 'EMAIL', recipients: mails });
}

/** From the first request to the last stored event: the gateway and both consumers share the cores. */
async function measureEvents(
  bench: BenchInstallation,
  requests: number,
): Promise<FormRun['events']> {
  const events = requests * EVENTS_PER_REQUEST;
  console.error(`  ${events} events …`);
  await registerUsers(bench);
  const before = await readCounters(bench);
  const startedAt = performance.now();
  const stream = await load(bench, {
    streams: [
      {
        name: 'events',
        target: bench.target({ messagesPerRequest: EVENTS_PER_REQUEST }),
        arrival: { type: 'closed', connections: CONNECTIONS, requestsMax: requests },
      },
    ],
    warmUpMs: 0,
    measuredMs: DRAIN_MS,
  });
  if (stream.accepted !== requests)
    throw new Error(`not every batch was accepted: ${JSON.stringify(stream)}`);
  await drain(bench);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    perSecond: events / seconds,
    costs: costsBetween(before, await readCounters(bench), events),
  };
}

async function measureAcceptance(
  bench: BenchInstallation,
  { acceptanceMs, requestsPerSecond }: FormSizes,
): Promise<StreamResult> {
  console.error(`  ${requestsPerSecond} requests a second …`);
  const stream = await load(bench, {
    streams: [
      {
        name: 'acceptance',
        target: bench.target({ messagesPerRequest: 1 }),
        arrival: {
          type: 'open',
          requestsPerSecond,
          connectionsMax: ACCEPTANCE_CONNECTIONS_MAX,
        },
      },
    ],
    warmUpMs: WARM_UP_MS,
    measuredMs: acceptanceMs,
  });
  await drain(bench);
  return stream;
}

async function load(bench: BenchInstallation, plan: LoadPlan): Promise<StreamResult> {
  const { streams } = await bench.generator.run(plan);
  const [stream] = streams;
  if (stream === undefined) throw new Error('the load has no result');
  return stream;
}

async function drain(bench: BenchInstallation): Promise<void> {
  const left = await drainBacklog(bench.lag, DRAIN_MS);
  if (left > 0) throw new Error(`${left} records were not read within ${DRAIN_MS / 1000} s`);
}
