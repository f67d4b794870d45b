import { ensureEncryptionKey } from './encryption-key.ts';
import { isInOneProcess, storesOf, type Form } from './form.ts';
import type { Helper } from './helper/helper.ts';
import { homeLayout } from './home.ts';
import { startLateHttps } from './late-https.ts';
import { removeLocalFile, writeLocalFile, type LocalFile } from './local-file.ts';
import type { ReverseProxy } from './reverse-proxy.ts';
import { choosePorts } from './services/service-ports.ts';
import { startSupervisor, type Supervisor, type SupervisorOptions } from './services/supervisor.ts';
import { ONE_PROCESS } from './services/table.ts';
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
  /** Does the work that needs the code of the services; the caller ends it. */
  readonly helper: Helper;
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
    helper,
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
    else
      await helper.run('prepareStores', {
        addresses: addressesOf(stack),
        kafkaNodes: stack.kafkaNodes.length,
        logFile: homeLayout(home).logFile('local'),
        isShown: isInteractive,
      });
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
  const { home, helper, port, httpsPort, isInteractive, runStep } = options;
  const isOneProcess = isInOneProcess(options.form);
  const tables = await helper.run('readServiceTables', undefined);
  const { services: all, routes } = isOneProcess ? tables.oneProcess : tables.services;
  const services = all.filter(
    ({ name }) =>
      isOneProcess ||
      ALWAYS_STARTED.includes(name) ||
      (options.serviceNames?.includes(name) ?? true),
  );
  const ports = await choosePorts(services, {
    hasUsualPorts: isInteractive,
    ...(isOneProcess && { portOfAll: port }),
  });
  const portOf = (service: string): number =>
    (ports.get(service) ?? ports.get(ONE_PROCESS))?.port ?? 0;
  let restarted = (): void => undefined;

  const certificate = await helper.run('ensureCertificate', homeLayout(home).certificateFile);
  const entry = { port, httpsPort, routes, portOf, certificate };
  const door = isOneProcess
    ? await startLateHttps(entry)
    : await (await import('./reverse-proxy.ts')).startReverseProxy(entry);
  try {
    const supervisor = await runStep(`Start ${services.length} services`, async () =>
      startSupervisor({
        home,
        services,
        ports,
        addresses: stack,
        outgoingCalls: await helper.run('readOutgoingCalls', undefined),
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
      started: (isOneProcess ? tables.services.services : services).map(({ name }) => name),
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
  { home, form, helper, isInteractive }: TidingsOptions,
  stack: Stack,
  running: RunningServices,
): Promise<() => LocalFile> {
  const { baseUrl, httpsUrl } = running.door;
  const { databaseUrl, bus, kafkaBrokers, redisUrl } = stack;
  const { credentialsFile, encryptionKeyFile, userTokenSecretFile } = homeLayout(home);
  const sandboxUrl = `http://127.0.0.1:${running.sandboxPort}`;
  const credentials = await helper.run('prepareApplication', {
    baseUrl,
    databaseUrl,
    encryptionKey: ensureEncryptionKey(encryptionKeyFile),
    credentialsFile,
    userTokenSecretFile,
    sandboxUrl,
    smtpPort: running.smtpPort,
    started: running.started,
    // Tests have devices of their own.
    hasOperatorDevice: isInteractive && running.started.includes('client-api'),
  });
  return () => ({
    baseUrl,
    httpsUrl,
    dashboardUrl: `${baseUrl}/dashboard`,
    sandboxUrl,
    ...credentials,
    form,
    databaseUrl,
    bus,
    kafkaBrokers,
    redisUrl: redisUrl === '' ? null : redisUrl,
    services: running.supervisor.list(),
  });
}

/** Without the components, which are no JSON. */
function addressesOf(stack: Stack): Addresses {
  const { databaseUrl, publicDatabaseUrl, bus, kafkaBrokers, redisUrl } = stack;
  return { databaseUrl, publicDatabaseUrl, bus, kafkaBrokers, redisUrl };
}
