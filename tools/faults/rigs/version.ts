import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT_DIR, type Addresses, type TidingsOptions } from '@tidings/local';
import { findCheckout } from '../../checkouts/find-checkout.ts';
import { checkoutEnvironment } from '../../checkouts/run-in-checkout.ts';

/** A new clone installs its packages first. */
const PREPARED_WITHIN_MS = 600_000;

/** Which version of the services the processes of an installation run when they start. */
export type Version = {
  /** For the start of an installation. */
  readonly options: Pick<TidingsOptions, 'rootDir' | 'prepare'>;
  /** What the prepare Job of this checkout does, while the services work. */
  prepare(): Promise<void>;
  /** The checkout from which processes start now. */
  rootDir(): string;
  /** From now on processes start from this checkout. */
  useThis(): void;
  /** From now on processes start from the other checkout again. */
  useBefore(): void;
};

/**
 * An installation that begins with another checkout: its migrations and its services.
 * @throws if `pathOrCommit` is neither a checkout nor a commit
 */
export function startFromVersion(pathOrCommit: string): Version {
  const before = findCheckout(pathOrCommit);
  let rootDir = before;
  let addresses: Parameters<NonNullable<TidingsOptions['prepare']>>[0] | undefined;
  return {
    rootDir: () => rootDir,
    options: {
      rootDir: () => rootDir,
      prepare: (started) => {
        addresses = started;
        return runPrepare(before, started);
      },
    },
    prepare() {
      if (addresses === undefined) throw new Error('the installation is not started');
      return runPrepare(ROOT_DIR, addresses);
    },
    useThis: () => {
      rootDir = ROOT_DIR;
    },
    useBefore: () => {
      rootDir = before;
    },
  };
}

/** Does not need the tools of the checkout, only its product. */
async function runPrepare(
  checkout: string,
  { databaseUrl, bus, kafkaBrokers }: Addresses,
): Promise<void> {
  const program = join('deploy', 'install', 'src', 'prepare.ts');
  await promisify(execFile)(process.execPath, [join('deploy', 'local', 'run.mjs'), program], {
    cwd: checkout,
    env: {
      ...checkoutEnvironment(),
      DATABASE_URL: databaseUrl,
      BUS: bus,
      ...(bus === 'kafka' && {
        KAFKA_BROKERS: kafkaBrokers,
        TOPIC_REPLICATION_FACTOR: '1',
        TOPIC_MIN_INSYNC_REPLICAS: '1',
      }),
    },
    timeout: PREPARED_WITHIN_MS,
  }).catch((error: Error & { readonly stdout?: string }) => {
    // The log of the command tells why; earlier versions write it to standard output.
    throw new Error(`${error.message}\n${error.stdout ?? ''}`, { cause: error });
  });
}
