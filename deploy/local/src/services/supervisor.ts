import { join } from 'node:path';
import { homeLayout, ROOT_DIR } from '../home.ts';
import { inStages } from '../stack/process-record.ts';
import type { Addresses } from '../stack/stack.ts';
import { buildEnvironment, type OutgoingCalls, type ServicePorts } from './environment.ts';
import { choosePorts } from './service-ports.ts';
import { listSourceFolders } from './source-folders.ts';
import { superviseService, type SupervisedService } from './supervised-service.ts';
import type { ServiceEntry } from './table.ts';

export type SupervisorOptions = {
  readonly home: string;
  readonly services: readonly ServiceEntry[];
  readonly ports: ReadonlyMap<string, ServicePorts>;
  readonly addresses: Addresses;
  readonly encryptionKey: string;
  readonly outgoingCalls: OutgoingCalls;
  /** Base URL of the reverse proxy. */
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly inherited: NodeJS.ProcessEnv;
  readonly extraEnv?: Readonly<Record<string, string>> | undefined;
  /**
   * Settings by service name, asked at each start of a process; they override those for all
   * services.
   */
  readonly serviceEnv?:
    | ((name: string, addresses: Addresses) => Readonly<Record<string, string>>)
    | undefined;
  /** Maximum restart back-off; for tests that kill repeatedly. */
  readonly restartCapMs?: number | undefined;
  /** The service that restarts when its sources change. */
  readonly watchedService?: string | undefined;
  /**
   * For tests. The checkout whose services run, asked at each start of a process; default: this
   * one.
   */
  readonly rootDir?: (() => string) | undefined;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  readonly onRestart?: () => void;
};

export type RunningService = {
  readonly name: string;
  readonly pid: number;
  readonly metricsUrl: string;
};

/** An additional process of a service. */
export type Instance = { readonly name: string; readonly program: string };

/** All services of one installation. */
export interface Supervisor {
  list(): readonly RunningService[];
  /** For tests. A service that exits is restarted. */
  kill(name: string, signal: NodeJS.Signals): void;
  /** Resolves when a killed service is ready again. */
  ready(name: string): Promise<void>;
  /**
   * For tests. Starts an additional process of a service and resolves with its URL when it is
   * ready.
   */
  add(instance: Instance): Promise<string>;
  /** For tests. Drains and stops one process. */
  remove(name: string): Promise<void>;
  /** Drains stage by stage and resolves when all services have exited. */
  stop(): Promise<void>;
}

/**
 * Starts every service as its own process and resolves when all are ready. If one fails, all are
 * stopped.
 */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const starts = await Promise.allSettled(
    options.services.map((entry) => startService(entry, options)),
  );
  let running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failures = starts.flatMap((start) =>
    start.status === 'rejected' ? [start.reason as Error] : [],
  );
  const stop = () => inStages(running, ({ service }) => service.stop());
  if (failures.length > 0) {
    await stop();
    options.signal?.throwIfAborted();
    throw new Error(failures.map((failure) => failure.message).join('\n\n'));
  }

  const find = (name: string): SupervisedService => {
    const found = running.find((one) => one.name === name);
    if (found === undefined) throw new Error(`unknown service: ${name}`);
    return found.service;
  };
  return {
    list: () =>
      running.map(({ name, service, healthUrl }) => ({
        name,
        pid: service.pid,
        metricsUrl: `${healthUrl}/metrics`,
      })),
    kill: (name, signal) => find(name).kill(signal),
    ready: (name) => find(name).ready(),
    async add({ name, program }) {
      const model = options.services.find((entry) => entry.name === program);
      if (model === undefined) throw new Error(`unknown service: ${program}`);
      const entry = { ...model, name, program: model.program ?? program };
      const ports = await choosePorts([entry], { hasUsualPorts: false });
      const started = await startService(entry, { ...options, ports });
      running = [...running, started];
      return `http://127.0.0.1:${portsOf(name, ports).port}`;
    },
    async remove(name) {
      const service = find(name);
      running = running.filter((one) => one.service !== service);
      await service.stop();
    },
    stop,
  };
}

type Running = ServiceEntry & { readonly service: SupervisedService; readonly healthUrl: string };

async function startService(entry: ServiceEntry, options: SupervisorOptions): Promise<Running> {
  const { home, ports, onLine = () => undefined, onRestart = () => undefined } = options;
  const layout = homeLayout(home);
  const { name, program = name, nodeFlags = [] } = entry;
  const healthUrl = `http://127.0.0.1:${portsOf(name, ports).healthPort}`;
  const service = await superviseService({
    process: {
      name,
      command: process.execPath,
      args: [
        '--disable-warning=ExperimentalWarning',
        ...nodeFlags,
        join('services', program, 'src', 'main.ts'),
      ],
      get cwd() {
        return options.rootDir?.() ?? ROOT_DIR;
      },
      get env() {
        return buildEnvironment(entry, {
          addresses: options.addresses,
          encryptionKey: options.encryptionKey,
          outgoingCalls: options.outgoingCalls,
          baseUrl: options.baseUrl,
          sandboxUrl: options.sandboxUrl,
          dataDir: layout.dataDir(name),
          ports: portsOf(name, ports),
          inherited: options.inherited,
          extra: { ...options.extraEnv, ...options.serviceEnv?.(name, options.addresses) },
        });
      },
      logFile: layout.logFile(name),
      runDir: layout.runDir,
      stopSignal: 'SIGTERM',
      drainStage: entry.drainStage,
      isWaitedFor: entry.isWaitedFor === true,
    },
    healthUrl,
    restartCapMs: options.restartCapMs,
    watchedFolders: name === options.watchedService ? listSourceFolders(program) : undefined,
    signal: options.signal,
    onLine,
    onRestart,
  });
  return { ...entry, service, healthUrl };
}

function portsOf(name: string, ports: SupervisorOptions['ports']): ServicePorts {
  const found = ports.get(name);
  if (found === undefined) throw new Error(`${name} has no ports`);
  return found;
}
