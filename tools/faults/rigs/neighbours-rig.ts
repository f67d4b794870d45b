import { setTimeout as delay } from 'node:timers/promises';
import { workerName } from '@tidings/contracts/topics';
import {
  callApi,
  connectChannels,
  createApplication,
  homeLayout,
  ONE_PROCESS,
  type ApiAccess,
  type BusKind,
} from '@tidings/local';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { startTidings } from '../../stack/start-tidings.ts';
import { readCpuSeconds } from '../../bench/installation/cpu-seconds.ts';
import { cpuWaitMs } from '../oracles/cpu-waits.ts';
import type { TestApplication } from './rig.ts';
import { createSandboxControl, type SandboxControl } from './sandbox-control.ts';
import type { Version } from './version.ts';

/** One of several applications of an installation, with the rates that every new one has. */
export type Neighbour = TestApplication & { readonly admin: ApiAccess };

/** An installation as its applications see it: no proxy, and the settings of `npm start`. */
export type NeighboursRig = {
  readonly gatewayUrl: string;
  readonly apiUrl: string;
  readonly sandbox: SandboxControl;
  readonly db: Database;
  newNeighbour(name: string): Promise<Neighbour>;
  /** CPU seconds of its processes and its stores. */
  cpuSeconds(): number;
  /** How long the process that accepts, and this one, have waited for a CPU. */
  cpuWaitMs(): number;
  /** Process ids by name. */
  pids(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
};

export type NeighboursRigStart = {
  /** In Postgres: all services in one process, as by `npm start`. In Kafka: a process for each. */
  readonly bus: BusKind;
  /** Default: this one. */
  readonly version?: Version | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** What campaigns by EMAIL and events need. */
const SERVICES = [
  'gateway',
  'campaigns',
  'scheduler',
  'users-consumer',
  'events-consumer',
  workerName('EMAIL'),
];
/** Writing many events takes long on a busy machine. */
const STATEMENT_TIMEOUT_MS = 300_000;
const POLL_MS = 250;

export async function startNeighboursRig({
  bus,
  version,
  signal,
}: NeighboursRigStart): Promise<NeighboursRig> {
  const tidings = await startTidings({
    name: 'faults-neighbours',
    form: bus === 'postgres' ? 'one-process' : 'services-on-kafka',
    services: SERVICES,
    signal,
    ...version?.options,
  });
  const { local, supervisor, stack, home, serviceUrl } = tidings;
  const db = connectDatabase({
    databaseUrl: local.databaseUrl,
    poolMax: 2,
    applicationName: 'faults',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const stores = [stack.parts.postgres, stack.parts.redis, ...stack.kafkaNodes].filter(
    (store) => store !== undefined,
  );
  const apiUrl = serviceUrl('api');
  return {
    gatewayUrl: serviceUrl('gateway'),
    apiUrl,
    sandbox: createSandboxControl(local.sandboxUrl, homeLayout(home).dataDir('sandbox')),
    db,
    newNeighbour: async (name) => {
      const { databaseUrl } = local;
      // By the reverse proxy, which knows the service of each path.
      const { baseUrl } = local;
      const credentials = await createApplication({ baseUrl, databaseUrl, name, tokenName: name });
      const { applicationId, serverKey, adminToken } = credentials;
      await connectChannels(
        { baseUrl, credentials, started: [workerName('EMAIL')] },
        {
          url: local.sandboxUrl,
          smtpPort: await readSmtpPort(tidings),
          hookSecret: '',
          bounceSecret: 'a secret of the bounces',
        },
      );
      return {
        id: applicationId,
        headers: { 'X-Application-Id': applicationId, 'X-API-Key': serverKey },
        admin: {
          baseUrl: apiUrl,
          headers: { 'X-Application-Id': applicationId, Authorization: `Bearer ${adminToken}` },
        },
      };
    },
    cpuSeconds: () =>
      [...supervisor.list(), ...stores].reduce((sum, { pid }) => sum + readCpuSeconds(pid), 0),
    cpuWaitMs: () =>
      supervisor
        .list()
        .filter(({ name }) => name === 'gateway' || name === ONE_PROCESS)
        .reduce((sum, { pid }) => sum + cpuWaitMs(pid), cpuWaitMs(process.pid)),
    pids: () => new Map(supervisor.list().map(({ name, pid }) => [name, pid])),
    async stop() {
      await db.close();
      await tidings.stop();
    },
  };
}

/** The demonstration application sends to the sandbox, so its settings name the SMTP port. */
async function readSmtpPort({
  local,
}: Pick<Awaited<ReturnType<typeof startTidings>>, 'local'>): Promise<number> {
  const { settings } = await callApi<{ readonly settings: { readonly port: number } }>(
    {
      baseUrl: local.baseUrl,
      headers: {
        'X-Application-Id': local.applicationId,
        Authorization: `Bearer ${local.adminToken}`,
      },
    },
    { path: '/api/v1/channels/EMAIL' },
  );
  return settings.port;
}

/**
 * Waits until Postgres has no statement of the installation that runs for longer than a second; false
 * after the timeout.
 */
export async function untilPostgresIsCalm(
  { db }: Pick<NeighboursRig, 'db'>,
  timeoutMs: number,
): Promise<boolean> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < timeoutMs) {
    const { rows } = await db.sql.query<{ long: number }>(
      `select count(*)::int as long from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
         and query_start < clock_timestamp() - interval '1 second'`,
    );
    if (rows[0]?.long === 0) return true;
    await delay(POLL_MS);
  }
  return false;
}
