import { connectChannels, connectShop } from '@tidings/install';
import type { Logger } from '@tidings/platform';
import { ensureApplication } from './application.ts';
import { ensureCertificate } from './certificate.ts';
import { deriveBounceSecret, ensureEncryptionKey, deriveHookSecret } from './encryption-key.ts';
import { storesOf, type Form } from './form.ts';
import { homeLayout } from './home.ts';
import { removeLocalFile, writeLocalFile, type LocalFile } from './local-file.ts';
import { prepareStores } from './prepare-stores.ts';
import { startReverseProxy, type ReverseProxy } from './reverse-proxy.ts';
import { choosePorts } from './services/service-ports.ts';
import { startSupervisor, type Supervisor, type SupervisorOptions } from './services/supervisor.ts';
import { inOneProcess, ONE_PROCESS, readServiceTable } from './services/table.ts';
import { ensureUserTokenSecret } from './user-token-secret.ts';
import { superviseStores } from './stack/supervised-stores.ts';
import {
  silently,
  startStack,
  type Addresses,
  type KafkaLayout,
  type RunStep,
  type Stack,
} from './stack/stack.ts';

export type TidingsOptions = {
  /** The home folder of the installation; locked by the caller. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
  readonly port: number;
  readonly httpsPort: number;
  /** True for `npm start`: stores and sandbox use their default ports, and the data is durable. */
  readonly isInteractive: boolean;
  /** Postgres flushes commits to disk; default: `isInteractive`. */
  readonly isDurable?: boolean | undefined;
  /**
   * Only these services, and those needed to create the demonstration application; default: all.
   */
  readonly serviceNames?: readonly string[] | undefined;
  /** Settings of all services that override all others. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Settings by service name; they override those for all services. */
  readonly serviceEnv?: SupervisorOptions['serviceEnv'];
  /** The service that restarts when its sources change. */
  readonly watchedService?: string | undefined;
  readonly restartCapMs?: SupervisorOptions['restartCapMs'];
  /** For tests. Prepares the stores for another version; default: for this one. */
  readonly prepare?: ((addresses: Addresses) => Promise<void>) | undefined;
  readonly rootDir?: SupervisorOptions['rootDir'];
  /** Restart a local store that exits, as services are. */
  readonly keepsStores?: boolean | undefined;
  readonly form: Form;
  readonly kafka?: KafkaLayout | undefined;
  /** Aborts the start at its next step. */
  readonly signal?: AbortSignal | undefined;
  readonly runStep?: RunStep;
  readonly onLine?: ((line: string) => void) | undefined;
};

/** A complete installation: stores, services, reverse proxy and the demonstration application. */
export interface Tidings {
  /** Same as `.tidings/local.json`, with current process ids. */
  readonly local: LocalFile;
  readonly supervisor: Supervisor;
  readonly stack: Stack;
  /** URL of one service, bypassing the reverse proxy. */
  serviceUrl(name: string): string;
  /** Drains everything in order; leaves no process. */
  stop(): Promise<void>;
}

const ALWAYS_STARTED = ['api', 'sandbox'];

/**
 * Starts everything and resolves when it is ready for requests. If a step fails, all that was
 * started is stopped.
 */
export async function startTidings(options: TidingsOptions): Promise<Tidings> {
  const {
    home,
    env,
    logger,
    isInteractive,
    isDurable = isInteractive,
    runStep = silently,
  } = options;
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    removeLocalFile(homeLayout(home).localFile);
    for (const step of undo.splice(0).toReversed()) await step();
  };
  // A killed owner could not remove its own.
  removeLocalFile(homeLayout(home).localFile);
  try {
    const stack = await startStack({
      home,
      env,
      isDurable,
      hasUsualPorts: isInteractive,
      has: storesOf(options.form),
      isSmall: options.form === 'one-process',
      kafka: options.kafka,
      signal: options.signal,
      runStep,
    });
    undo.push(() => runStep('Stop the stores', () => stack.stop()));
    if (options.keepsStores === true) {
      const stores = superviseStores(stack, options.onLine ?? (() => undefined));
      undo.push(() => stores.stop());
    }
    options.signal?.throwIfAborted();
    if (options.prepare !== undefined) await options.prepare(stack);
    else await prepareStores(stack, { logger, runStep, kafkaNodes: stack.kafkaNodes.length });
    options.signal?.throwIfAborted();
    const running = await startServices({ ...options, runStep }, stack);
    undo.push(() => runStep('Drain the services', () => running.stop()));
    options.signal?.throwIfAborted();
    const local = await runStep('Prepare the demonstration application', () =>
      describe(options, stack, running),
    );
    const write = () => writeLocalFile(homeLayout(home).localFile, local());
    running.onRestart(write);
    write();
    return {
      get local() {
        return local();
      },
      supervisor: running.supervisor,
      stack,
      serviceUrl: running.serviceUrl,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type RunningServices = {
  readonly supervisor: Supervisor;
  readonly door: ReverseProxy;
  readonly sandboxPort: number;
  readonly smtpPort: number;
  /** Names of the services that run. */
  readonly started: readonly string[];
  serviceUrl(name: string): string;
  /** Calls `listener` whenever the process of a service has changed. */
  onRestart(listener: () => void): void;
  stop(): Promise<void>;
};

async function startServices(
  options: TidingsOptions & { readonly runStep: RunStep },
  stack: Stack,
): Promise<RunningServices> {
  const { home, port, httpsPort, isInteractive, runStep } = options;
  const isOneProcess = options.form === 'one-process';
  const table = readServiceTable();
  const { services: all, routes } = isOneProcess ? inOneProcess(table) : table;
  const services = all.filter(
    ({ name }) =>
      isOneProcess ||
      ALWAYS_STARTED.includes(name) ||
      (options.serviceNames?.includes(name) ?? true),
  );
  const ports = await choosePorts(services, { hasUsualPorts: isInteractive });
  const portOf = (service: string): number =>
    (ports.get(service) ?? ports.get(ONE_PROCESS))?.port ?? 0;
  let restarted = (): void => undefined;

  const door = await startReverseProxy({
    port,
    httpsPort,
    routes,
    portOf,
    certificate: await ensureCertificate(homeLayout(home).certificateFile),
  });
  try {
    const supervisor = await runStep(`Start ${services.length} services`, () =>
      startSupervisor({
        home,
        services,
        ports,
        addresses: stack,
        encryptionKey: ensureEncryptionKey(homeLayout(home).encryptionKeyFile),
        baseUrl: door.baseUrl,
        sandboxUrl: `http://127.0.0.1:${portOf('sandbox')}`,
        inherited: options.env,
        extraEnv: options.extraEnv,
        serviceEnv: options.serviceEnv,
        restartCapMs: options.restartCapMs,
        watchedService: options.watchedService,
        rootDir: options.rootDir,
        signal: options.signal,
        onLine: options.onLine,
        onRestart: () => restarted(),
      }),
    );
    return {
      supervisor,
      door,
      started: (isOneProcess ? table.services : services).map(({ name }) => name),
      serviceUrl: (name) => `http://127.0.0.1:${portOf(name)}`,
      sandboxPort: portOf('sandbox'),
      smtpPort: ports.get('sandbox')?.smtpPort ?? 0,
      onRestart: (listener) => {
        restarted = listener;
      },
      // In parallel: the proxy accepts no new requests, and open streams end only when their
      // service drains.
      stop: async () => {
        restarted = () => undefined;
        await Promise.all([door.close(), supervisor.stop()]);
      },
    };
  } catch (error) {
    await door.close();
    throw error;
  }
}

async function describe(
  { home, form }: TidingsOptions,
  stack: Stack,
  running: RunningServices,
): Promise<() => LocalFile> {
  const { baseUrl, httpsUrl } = running.door;
  const { databaseUrl, bus, kafkaBrokers, redisUrl } = stack;
  const credentials = await ensureApplication({
    baseUrl,
    databaseUrl,
    credentialsFile: homeLayout(home).credentialsFile,
  });
  const encryptionKey = ensureEncryptionKey(homeLayout(home).encryptionKeyFile);
  await connectChannels(
    { baseUrl, credentials, started: running.started },
    {
      url: `http://127.0.0.1:${running.sandboxPort}`,
      smtpPort: running.smtpPort,
      hookSecret: deriveHookSecret(encryptionKey),
      bounceSecret: deriveBounceSecret(encryptionKey),
    },
  );
  const userTokenSecret = await ensureUserTokenSecret({
    baseUrl,
    databaseUrl,
    encryptionKey,
    credentials,
    secretFile: homeLayout(home).userTokenSecretFile,
  });
  await connectShop({
    baseUrl,
    sandboxUrl: `http://127.0.0.1:${running.sandboxPort}`,
    credentials,
    userTokenSecret,
  });
  return () => ({
    baseUrl,
    httpsUrl,
    dashboardUrl: `${baseUrl}/dashboard`,
    sandboxUrl: `http://127.0.0.1:${running.sandboxPort}`,
    ...credentials,
    form,
    databaseUrl,
    bus,
    kafkaBrokers,
    redisUrl,
    services: running.supervisor.list(),
  });
}
