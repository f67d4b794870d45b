import { openBus, busConfig, type Bus } from '@tidings/bus';
import {
  callApi,
  homeLayout,
  ROOT_DIR,
  type BusKind,
  type Form,
  type SideListener,
  type StackComponent,
  type Standby,
  type Supervisor,
} from '@tidings/local';
import { createLogger, loadConfig } from '@tidings/platform';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { INSPECTABLE } from '../../stack/inspect-heap.ts';
import { startTidings } from '../../stack/start-tidings.ts';
import { signalTree } from '../net/signal-tree.ts';
import { watchCpuWaits, type CpuWaits } from '../oracles/cpu-waits.ts';
import { watchMemory, type MemoryWatch } from '../oracles/memory.ts';
import type { Version } from './version.ts';

/** Number of brokers that a row needs. */
export type Brokers = 1 | 3;

export type TestApplication = {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Proxies between the parts of an installation, for network faults and failover. */
export type RigProxies = {
  /** Target of the Postgres proxies; 0 until known. */
  readonly targets: { postgres: number };
  /** Listeners that keep clients on the proxy they connected through. */
  readonly sideListeners: readonly SideListener[];
  /** Removes all network faults. */
  clear(): void;
  close(): Promise<void>;
};

/** A complete installation with the actions and observations that rows use. */
export type Rig<P extends RigProxies = RigProxies> = {
  readonly tidings: Awaited<ReturnType<typeof startTidings>>;
  readonly supervisor: Supervisor;
  /** The current primary. */
  readonly postgres: StackComponent;
  readonly redis: StackComponent;
  /** None on the bus in Postgres. */
  readonly kafkaNodes: readonly StackComponent[];
  readonly proxies: P;
  /** The Postgres address stays the same after a failover. */
  readonly addresses: { readonly databaseUrl: string; readonly kafkaBrokers: string };
  readonly adminHeaders: Readonly<Record<string, string>>;
  readonly apiUrl: string;
  readonly db: Database;
  readonly bus: Bus;
  readonly memory: MemoryWatch;
  readonly cpuWaits: CpuWaits;
  readonly logDir: string;
  /** Where processes that start run from, unless the rig has another version. */
  readonly checkout: { dir: string };
  addStandby(): Promise<Standby>;
  /** Makes a standby the primary for all, after the old one has died. */
  takeOver(standby: Standby): Promise<void>;
  newApplications(count: number): Promise<readonly TestApplication[]>;
  /** Thaws frozen processes and removes network faults, in case a row failed to. */
  thaw(): void;
  stop(): Promise<void>;
};

const ENVIRONMENT = {
  // Short, so that the work of a killed consumer is taken over within a row.
  KAFKA_SESSION_TIMEOUT_MS: '6000',
  KAFKA_HEARTBEAT_INTERVAL_MS: '1000',
  BUS_SESSION_TIMEOUT_MS: '6000',
  BUS_HEARTBEAT_INTERVAL_MS: '1000',
  // Heap limit as in a pod of 512 MiB. With a larger one, V8 would collect too late to detect a
  // leak.
  NODE_OPTIONS: `--max-old-space-size=256 ${INSPECTABLE}`,
};
/** Like the first restart of a pod. */
const RESTART_CAP_MS = 250;

/** Options chosen by the caller. */
export type RigStart = {
  readonly name: string;
  /** What carries records. */
  readonly bus: BusKind;
  /** Processes with every service, or a process for each; default: the latter. */
  readonly processes?: 'of all services' | undefined;
  /** Settings of all services, such as shorter timeouts. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The version that it starts with; default: this one. */
  readonly version?: Version | undefined;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
};

export type RigOptions<P extends RigProxies> = RigStart & {
  readonly brokers: Brokers;
  /** Only these services; default: all. */
  readonly services?: readonly string[] | undefined;
  readonly proxies: P;
  /** Port of the proxy through which the suite and most services reach Postgres. */
  readonly postgresPort: number;
  serviceEnv(
    service: string,
    postgresAt: (port: number) => Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>>;
};

/**
 * Starts an installation with the suite's proxies; they are closed with it, also if the start
 * fails.
 */
export async function startRig<P extends RigProxies>(options: RigOptions<P>): Promise<Rig<P>> {
  const { proxies } = options;
  const checkout = { dir: ROOT_DIR };
  const tidings = await startBehindProxies(options, checkout).catch(async (error: unknown) => {
    await proxies.close();
    throw error;
  });
  const { supervisor, stack, local, home } = tidings;
  const { redis, postgres } = stack.parts;
  if (postgres === undefined || redis === undefined)
    throw new Error('external stores cannot be disturbed');
  let current: StackComponent = postgres;
  const addresses = {
    kafkaBrokers: stack.kafkaBrokers,
    databaseUrl: withPort(stack.databaseUrl, options.postgresPort),
  };
  const logger = createLogger('faults', 'fatal');
  const bus = openBus(
    {
      ...loadConfig(busConfig, { BUS: stack.bus, KAFKA_BROKERS: stack.kafkaBrokers }),
      databaseUrl: addresses.databaseUrl,
    },
    { logger, service: 'faults' },
  );
  const db = connectDatabase({
    databaseUrl: addresses.databaseUrl,
    poolMax: 2,
    applicationName: 'faults',
  });
  const memory = watchMemory(supervisor);
  const cpuWaits = watchCpuWaits(supervisor);

  const thaw = (): void => {
    for (const part of [redis, ...stack.kafkaNodes]) part.kill('SIGCONT');
    for (const service of supervisor.list()) supervisor.kill(service.name, 'SIGCONT');
    signalTree(current.pid, 'SIGCONT');
    proxies.clear();
  };

  return {
    tidings,
    supervisor,
    get postgres() {
      return current;
    },
    redis,
    kafkaNodes: stack.kafkaNodes,
    proxies,
    addresses,
    adminHeaders: { Authorization: `Bearer ${local.adminToken}` },
    apiUrl: local.baseUrl,
    db,
    bus,
    memory,
    cpuWaits,
    logDir: homeLayout(home).logDir,
    checkout,
    addStandby: () => stack.addStandby(),
    async takeOver(standby) {
      await standby.promote();
      proxies.targets.postgres = Number(new URL(standby.url).port);
      current = standby;
    },
    newApplications: (count) =>
      Promise.all(Array.from({ length: count }, () => newApplication(local))),
    thaw,
    async stop() {
      thaw();
      memory.stop();
      cpuWaits.stop();
      await bus.disconnect();
      await db.close();
      await tidings.stop();
      await proxies.close();
    },
  };
}

function startBehindProxies(
  {
    brokers,
    name,
    bus,
    processes,
    env,
    version,
    signal,
    services,
    proxies,
    serviceEnv,
  }: RigOptions<RigProxies>,
  checkout: Rig['checkout'],
): Promise<Rig['tidings']> {
  return startTidings({
    name,
    form: formOf({ bus, processes }),
    env: { ...ENVIRONMENT, ...env },
    services,
    // Several brokers would each need their own proxy.
    kafka: { nodes: brokers, ...(brokers === 1 && { sideListeners: proxies.sideListeners }) },
    serviceEnv: (service, { databaseUrl, publicDatabaseUrl }) => {
      proxies.targets.postgres ||= Number(new URL(databaseUrl).port);
      return serviceEnv(service, (port) => ({
        DATABASE_URL: withPort(databaseUrl, port),
        PUBLIC_DATABASE_URL: withPort(publicDatabaseUrl, port),
      }));
    },
    restartCapMs: RESTART_CAP_MS,
    rootDir: () => checkout.dir,
    signal,
    ...version?.options,
  });
}

async function newApplication({
  baseUrl,
  adminToken,
}: {
  readonly baseUrl: string;
  readonly adminToken: string;
}): Promise<TestApplication> {
  const Authorization = `Bearer ${adminToken}`;
  const { applicationId } = await callApi<{ applicationId: string }>(
    { baseUrl, headers: { Authorization } },
    { method: 'POST', path: '/api/v1/applications', body: { name: 'Faults' } },
  );
  const asAdmin = { baseUrl, headers: { Authorization, 'X-Application-Id': applicationId } };
  const { key } = await callApi<{ key: string }>(asAdmin, {
    method: 'POST',
    path: '/api/v1/keys',
    body: { type: 'server', name: 'Faults' },
  });
  return { id: applicationId, headers: { 'X-Application-Id': applicationId, 'X-API-Key': key } };
}

function formOf({ bus, processes }: Pick<RigStart, 'bus' | 'processes'>): Form {
  return processes === undefined ? `services-on-${bus}` : `processes-on-${bus}`;
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
