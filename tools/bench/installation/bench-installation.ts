import type { RunningService } from '@tidings/local';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { startTidings, type TestTidingsOptions } from '../../stack/start-tidings.ts';
import type { Target } from '../load/plan.ts';
import { keepRows } from '../rows/kept-rows.ts';
import { describeRows, type RowCounts, type RowsName } from '../rows/row-counts.ts';
import { startGenerator, type LoadGenerator } from '../load/start-generator.ts';
import { connectIngestLag, INGEST_CONSUMERS, type IngestLag } from './ingest-lag.ts';
import { readStoreSettings, type StoreSettings } from './store-settings.ts';
import { createTenant, openTenant, type Tenant } from './tenants.ts';

/** An installation to measure, with its load target and figures. */
export interface BenchInstallation {
  readonly tidings: Awaited<ReturnType<typeof startTidings>>;
  readonly db: Database;
  /** Durability settings of the stores. */
  readonly stores: StoreSettings;
  readonly rows: RowsAtStart;
  readonly lag: IngestLag;
  readonly generator: LoadGenerator;
  /** Tenant of all parts except those with their own tenants. */
  readonly tenant: Tenant;
  /** A target at the gateway itself, bypassing the reverse proxy, with new ids. */
  target(settings: Partial<Target>): Target;
  metricsUrl(service: string): string;
  /** Changes if the service was restarted. */
  processId(service: string): number;
  stopConsumers(): Promise<void>;
  startConsumers(): Promise<void>;
  stop(): Promise<void>;
}

/** Rows of the tenant before the measurement. */
export type RowsAtStart = {
  readonly counts: RowCounts;
  /** Counted, with sizes; to print. */
  readonly description: string;
};

const NO_ROWS: RowCounts = { messageKeys: 0, deliveries: 0, users: 0 };
const USERS = 1_000;
/** Measured services, and those that the demonstration application requires. */
const INGEST_SERVICES = ['gateway', ...INGEST_CONSUMERS, 'campaigns', 'scheduler', 'worker-email'];
const STATEMENT_TIMEOUT_MS = 300_000;

/** Each service in its own process, on Kafka and Redis; or all in one, on Postgres alone. */
export type Form = 'services' | 'one process';

export type BenchInstallationOptions = Pick<TestTidingsOptions, 'env' | 'serviceEnv'> & {
  /** Default: those that ingest needs. */
  readonly services?: readonly string[] | 'all';
  /** Rows that are there before the measurement; default: none. */
  readonly rows?: RowsName;
  /** Default: services. */
  readonly form?: Form;
};

export async function startBenchInstallation({
  services = INGEST_SERVICES,
  env = {},
  serviceEnv,
  rows = 'none',
  form = 'services',
}: BenchInstallationOptions = {}): Promise<BenchInstallation> {
  // Ctrl-C during a soak leaves no processes; a start is completed first.
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const kept = rows === 'none' ? undefined : await keepRows(rows);
  const tidings = await startTidings({
    name: 'bench',
    copiedFrom: kept?.home,
    services: services === 'all' ? undefined : services,
    env: { LOG_LEVEL: 'warn', ...env },
    serviceEnv,
    isDurable: true,
    form: form === 'one process' ? 'one-process' : 'services-on-kafka',
  });
  const db = connectDatabase({
    databaseUrl: tidings.local.databaseUrl,
    poolMax: 4,
    applicationName: 'bench',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const lag = connectIngestLag(tidings.local);
  const generator = startGenerator({ isMeasuring: true });
  const stopAll = async (): Promise<void> => {
    generator.stop();
    await Promise.allSettled([lag.disconnect(), db.close()]);
    await tidings.stop();
  };
  // Once, even if both a signal and a failing bench request it.
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopAll());
  void asked.then(stop).finally(() => process.exit(1));
  try {
    const tenant = await (kept === undefined
      ? createTenant(db, { name: 'Bench' })
      : openTenant(db, kept.applicationId));
    return {
      tidings,
      db,
      stores: await readStoreSettings(db, tidings.local.kafkaBrokers),
      rows: { counts: kept?.counts ?? NO_ROWS, description: await describeRows(db) },
      lag,
      generator,
      tenant,
      stop,
      ...accessTo(tidings, tenant),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function accessTo(
  { supervisor, serviceUrl }: BenchInstallation['tidings'],
  { headers }: Tenant,
): Pick<
  BenchInstallation,
  'target' | 'metricsUrl' | 'processId' | 'stopConsumers' | 'startConsumers'
> {
  const gateway = new URL(serviceUrl('gateway'));
  const isRunning = (name: string): boolean =>
    supervisor.list().some((service) => service.name === name);
  const find = (service: string): RunningService => {
    const found = supervisor.list().find(({ name }) => name === service);
    if (found === undefined) throw new Error(`${service} is not running`);
    return found;
  };
  let runs = 0;
  return {
    target: (settings) => ({
      host: gateway.hostname,
      port: Number(gateway.port),
      headers,
      messagesPerRequest: 1,
      users: USERS,
      idPrefix: `run-${(runs += 1)}`,
      content: 'events',
      ...settings,
    }),
    metricsUrl: (service) => find(service).metricsUrl,
    processId: (service) => find(service).pid,
    async stopConsumers() {
      await Promise.all(INGEST_CONSUMERS.filter(isRunning).map((name) => supervisor.remove(name)));
    },
    async startConsumers() {
      for (const name of INGEST_CONSUMERS.filter((one) => !isRunning(one)))
        await supervisor.add({ name, program: name });
    },
  };
}
