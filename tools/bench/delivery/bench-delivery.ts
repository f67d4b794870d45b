import {
  startBenchInstallation,
  type BenchInstallation,
} from '../installation/bench-installation.ts';
import type { PartReport } from '../report/figures.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import type { RowsName } from '../rows/row-counts.ts';
import { writeUsers } from '../rows/write-users.ts';
import { workerEnv, type DeliveryChannel } from './channels.ts';
import {
  CONCURRENCY,
  SLOTS,
  createDeliveryBench,
  withServices,
  listWorkers,
  type DeliveryBench,
  type ServiceUrls,
} from './context.ts';
import { measureScheduled } from './parts/scheduled.ts';
import { measureSending } from './parts/sending.ts';
import { measureExpansion } from './parts/expansion.ts';
import { measureExpress } from './parts/express.ts';
import { measureFresh } from './parts/fresh.ts';
import { measureInboxDelivery } from './parts/inbox-delivery.ts';
import { measureListmonk } from './parts/listmonk.ts';
import { measureMillion, PUSHES } from './parts/million.ts';
import { measurePersonal } from './parts/personal.ts';
import { measurePushCall } from './parts/push-call.ts';
import { measureSigning } from './parts/signing.ts';
import { measureStreams } from './parts/streams.ts';
import { startSink, type Sink } from './sink/start-sink.ts';
import { FULL, QUICK, type Sizes } from './sizes.ts';

type Part = {
  readonly measure: (run: DeliveryBench, serviceUrls: ServiceUrls) => Promise<PartReport>;
  /** Channels whose workers the part needs. */
  readonly channels: readonly DeliveryChannel[];
  /** Does not read the rows at the start; alone it starts without them, which is sooner. */
  readonly needsNoRows?: true;
  /** Other services that run only for this part. */
  readonly services?: readonly string[];
};

const PARTS = {
  expansion: { measure: measureExpansion, channels: [] },
  email: { measure: (run) => measureSending(run, 'EMAIL'), channels: ['EMAIL'] },
  hooks: { measure: (run) => measureSending(run, 'WEB_HOOK'), channels: ['WEB_HOOK'] },
  sms: { measure: (run) => measureSending(run, 'SMS'), channels: ['SMS'] },
  'web-push': { measure: (run) => measureSending(run, 'WEB_PUSH'), channels: ['WEB_PUSH'] },
  'web-push-call': { measure: measurePushCall, channels: [], needsNoRows: true },
  'app-push': { measure: (run) => measureSending(run, 'APP_PUSH'), channels: ['APP_PUSH'] },
  'email-dkim': { measure: measureSigning, channels: ['EMAIL'] },
  'email-personal': { measure: measurePersonal, channels: ['EMAIL'] },
  listmonk: { measure: measureListmonk, channels: ['EMAIL'] },
  million: { measure: measureMillion, channels: ['EMAIL'] },
  fresh: { measure: measureFresh, channels: [], needsNoRows: true },
  'in-app': { measure: measureInboxDelivery, channels: ['IN_APP'] },
  express: { measure: measureExpress, channels: ['WEB_HOOK'] },
  scheduled: { measure: measureScheduled, channels: ['WEB_HOOK'] },
  streams: { measure: measureStreams, channels: ['IN_APP'], services: ['client-api'] },
} as const satisfies Record<string, Part>;
export type DeliveryPart = keyof typeof PARTS;
export const DELIVERY_PARTS = Object.keys(PARTS) as DeliveryPart[];

const partOf = (name: DeliveryPart): Part => PARTS[name];

const SERVICES = ['gateway', 'users-consumer', 'events-consumer', 'campaigns', 'scheduler'];
/**
 * Campaigns of the expansion part use this channel, and no installation starts without its worker.
 */
const ALWAYS: DeliveryChannel = 'EMAIL';

/** Measures delivery part by part on one installation: ratios within one run, with their goals. */
export async function benchDelivery({
  parts,
  isQuick,
  rows,
}: {
  readonly parts: readonly DeliveryPart[];
  readonly isQuick: boolean;
  readonly rows: RowsName;
}): Promise<void> {
  const sizes = isQuick ? QUICK : FULL;
  const machine = machineFacts();
  const reports: Partial<Record<DeliveryPart, PartReport>> = {};
  const chosen = DELIVERY_PARTS.filter((name) => parts.includes(name));
  const sink = await startSink();
  const installation = await startInstallation(chosen, { sink, rows }).catch((error: unknown) => {
    sink.stop();
    throw error;
  });
  try {
    const run = await prepare(installation, { sink, sizes, parts: chosen });
    for (const name of chosen) {
      console.error(`${name} …`);
      reports[name] = await withServices(run.bench, servicesOf(name), (urls) =>
        partOf(name).measure(run, urls),
      );
    }
  } finally {
    sink.stop();
    await installation.bench.stop();
  }
  reportParts({
    name: 'delivery',
    machine,
    stores: installation.bench.stores,
    settings: {
      'Rows at the start': installation.bench.rows.description,
      Concurrency: `${CONCURRENCY} sends of a campaign (SEND_CONCURRENCY ${SLOTS})`,
      Sizes: JSON.stringify(sizes),
    },
    isQuick,
    reports,
  });
}

type Installation = {
  readonly bench: BenchInstallation;
  readonly channels: readonly DeliveryChannel[];
  /** Services that run only for some parts. */ readonly services: readonly string[];
};

const servicesOf = (name: DeliveryPart): readonly string[] => [
  ...listWorkers(partOf(name).channels),
  ...(partOf(name).services ?? []),
];

async function startInstallation(
  parts: readonly DeliveryPart[],
  { sink, rows }: { readonly sink: Sink; readonly rows: RowsName },
): Promise<Installation> {
  console.error('Starting an installation …');
  const channels = [...new Set([ALWAYS, ...parts.flatMap((name) => partOf(name).channels)])];
  const services = [...new Set([...listWorkers(channels), ...parts.flatMap(servicesOf)])];
  let isDemonstrated = false;
  const bench = await startBenchInstallation({
    rows: parts.every((name) => partOf(name).needsNoRows) ? 'none' : rows,
    services: [...SERVICES, ...services],
    env: { SEND_CONCURRENCY: String(SLOTS), RATE_SDK_PER_SECOND: '0' },
    // The demonstration application is created with the sandbox.
    serviceEnv: (name) => (isDemonstrated ? (workerEnv(sink)[name] ?? {}) : {}),
  });
  isDemonstrated = true;
  return { bench, channels, services };
}

/** Stops services that only some parts need, after their test send. */
async function prepare(
  { bench, channels, services }: Installation,
  {
    sink,
    sizes,
    parts,
  }: { readonly sink: Sink; readonly sizes: Sizes; readonly parts: readonly DeliveryPart[] },
): Promise<DeliveryBench> {
  const users = parts.includes('million') ? PUSHES * sizes.millionPush : sizes.users;
  console.error(`${users} users …`);
  await writeUsers(bench.db, { applicationId: bench.tenant.applicationId, count: users });
  for (const name of services) await bench.tidings.supervisor.remove(name);
  return withServices(bench, listWorkers(channels), () =>
    createDeliveryBench(bench, { sink, sizes, channels }),
  );
}
