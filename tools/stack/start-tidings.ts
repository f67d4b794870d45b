import { mkdirSync } from 'node:fs';
import {
  freePorts,
  homeLayout,
  startHelper,
  stopRecorded,
  startTidings as startInstallation,
  storesOf,
  type Tidings,
  type TidingsOptions,
} from '@tidings/local';
import { checkNeeds } from './check-needs.ts';
import { copyData } from './copy-data.ts';
import { makeTestHome } from './test-home.ts';

const NOT_INHERITED = new Set([
  'DATABASE_URL',
  'PUBLIC_DATABASE_URL',
  'KAFKA_BROKERS',
  'REDIS_URL',
  'NODE_ENV',
  'NODE_OPTIONS',
  'JEST_WORKER_ID',
]);

export type TestTidingsOptions = Pick<
  TidingsOptions,
  | 'serviceEnv'
  | 'form'
  | 'kafka'
  | 'restartCapMs'
  | 'keepsStores'
  | 'onLine'
  | 'signal'
  | 'isDurable'
  | 'rootDir'
  | 'prepare'
> & {
  /** Name of the home folder; its logs are kept if KEEP_TEST_HOME is set. */
  readonly name: string;
  /** Settings of all services, such as shorter timeouts. */
  readonly env?: Readonly<Record<string, string>>;
  /** Only these services, besides api and sandbox, unless all are in one process; default: all. */
  readonly services?: readonly string[] | undefined;
  /** A stopped home whose data the installation starts with; it is copied. */
  readonly copiedFrom?: string | undefined;
};

/**
 * Starts an installation for an end-to-end test with the code of `npm start`: own stores and ports;
 * `stop` deletes it.
 */
export async function startTidings({
  name,
  env = {},
  services,
  copiedFrom,
  ...own
}: TestTidingsOptions): Promise<Tidings & { readonly home: string }> {
  checkNeeds(storesOf(own.form));
  const { home, discard } = await makeTestHome(name);
  mkdirSync(homeLayout(home).logDir, { recursive: true });
  const environment = ownEnvironment(process.env);
  const helper = startHelper({ env: environment, signal: own.signal });
  const [port = 0, httpsPort = 0] = await freePorts(2);
  try {
    if (copiedFrom !== undefined) copyData(copiedFrom, home);
    const tidings = await startInstallation({
      home,
      env: environment,
      helper,
      port,
      httpsPort,
      isInteractive: false,
      serviceNames: services,
      extraEnv: env,
      ...own,
    });
    await helper.end();
    return {
      home,
      supervisor: tidings.supervisor,
      stack: tidings.stack,
      serviceUrl: tidings.serviceUrl,
      get local() {
        return tidings.local;
      },
      stop: async () => {
        await tidings.stop();
        // Processes that were being started when the test was stopped.
        await stopRecorded(homeLayout(home).runDir);
        discard();
      },
    };
  } catch (error) {
    await helper.end();
    discard();
    throw error;
  }
}

/**
 * Removes URLs of external stores, since tests stop and kill their stores, and jest's variables, so
 * that services run as in production.
 */
function ownEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !NOT_INHERITED.has(name)),
  );
}
