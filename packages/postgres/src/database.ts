import type { PrismaClient } from '@tidings/database/client';
import { integer, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { isNativeError } from 'node:util/types';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import { watchPool } from './pool-metrics.ts';
import { PreparingClient } from './define-prepared.ts';

export const databaseConfig = {
  databaseUrl: text(
    'DATABASE_URL',
    'Postgres 18 or newer: postgres://user:password@host:port/database.',
    { secret: true },
  ),
  databasePoolMax: integer('DATABASE_POOL_MAX', 'Connections to Postgres at most.', {
    default: 10,
    min: 1,
    max: 200,
  }),
  databaseStatementTimeoutMs: integer(
    'DATABASE_STATEMENT_TIMEOUT_MS',
    'A statement that takes longer is ended.',
    { default: 30_000, min: 100 },
  ),
} as const satisfies ConfigSpec;

/** For the services that face the internet: `databaseConfig`, with a role that has only the rights of `public-role.sql`. */
export const publicDatabaseConfig = {
  ...databaseConfig,
  databaseUrl: text(
    'PUBLIC_DATABASE_URL',
    'Like `DATABASE_URL`, for a role that may touch only what the services facing the internet need: `tidings_public` or a member of it.',
    {
      secret: true,
      fallbackEnv: databaseConfig.databaseUrl.env,
    },
  ),
} as const satisfies ConfigSpec;

/** Runs statements, inside a transaction or not. */
export type Sql = Pick<PoolClient, 'query'>;

/** The connections of one process: Prisma for single rows and settings, set-based SQL for what must be fast. */
export interface Database {
  /** Loaded when it is first asked for, which most processes never do: it takes 12 MiB, and 50 when it reads anything. */
  prisma(): Promise<PrismaClient>;
  readonly sql: Sql;
  /** Commits when `work` resolves, rolls back when it throws. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export type DatabaseSettings = {
  readonly databaseUrl: string;
  readonly poolMax: number;
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  /**
   * Every statement finds its rows by keys. A plan made while a table was nearly empty, which reads all of it, would be
   * kept for as long as nobody has counted its rows again.
   */
  readonly isKeyed?: boolean;
};

// A short list of keys would be planned anew each time, at several times what it costs to run.
const PLANS_BY_KEYS =
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan';

/** Opens a pool; connections are made when they are first needed, and given up after 5 s without an answer. */
export function connectDatabase({
  databaseUrl,
  poolMax,
  applicationName,
  statementTimeoutMs = 30_000,
  isKeyed = false,
}: DatabaseSettings): Database {
  const pool = new Pool({
    Client: PreparingClient,
    connectionString: databaseUrl,
    max: poolMax,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    ...(isKeyed && { options: PLANS_BY_KEYS }),
  });
  // An idle connection that breaks is replaced by the pool; the next statement reports a database that is away.
  pool.on('error', () => undefined);
  // One in use says by its next statement that it is broken. Without a listener of its own an end that comes in one packet
  // with the greeting, when the pool has let go of the connection and its user not yet begun, would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const stopWatching = watchPool(pool);
  let prisma: Promise<PrismaClient> | undefined;

  return {
    prisma: () => (prisma ??= import('./prisma.ts').then(({ createPrisma }) => createPrisma(pool))),
    sql: pool,
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await work(client);
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        const isClean = await client.query('rollback').then(
          () => true,
          () => false,
        );
        client.release(!isClean);
        throw error;
      }
    },
    async close() {
      await (await prisma?.catch(() => undefined))?.$disconnect();
      stopWatching();
      await pool.end();
    },
  };
}

/** For a process that is going to ask for Prisma: whoever asks first does not wait for it. */
export async function loadPrisma(db: Database): Promise<void> {
  await db.prisma();
}

/** The one-line wiring of a service. */
export function databaseFrom(
  config: ConfigOf<typeof databaseConfig>,
  applicationName: string,
  { isKeyed = false }: Pick<DatabaseSettings, 'isKeyed'> = {},
): Database {
  return connectDatabase({
    databaseUrl: config.databaseUrl,
    poolMax: config.databasePoolMax,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    applicationName,
    isKeyed,
  });
}

/** SQLSTATE classes that the same input will always meet again: data exception, integrity, program limit. */
const DATA_ERROR_CLASSES = new Set(['22', '23', '54']);

/** The SQLSTATE of a failure that lies in the data, not in the database's state; undefined for every other error. */
export function dataErrorState(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError) || error.code === undefined || isMissingPartition(error))
    return undefined;
  return DATA_ERROR_CLASSES.has(error.code.slice(0, 2)) ? error.code : undefined;
}

/** Whether a row found no partition: Postgres says so by the code of a check that failed, without naming a check. */
export function isMissingPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23514' && error.constraint === undefined;
}

const CONFLICT_CODES = new Set(['40001', '40P01']);

/** Whether a transaction was ended for the sake of another one (a deadlock), so that trying again at once is right. */
export function isTransactionConflict(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code !== undefined && CONFLICT_CODES.has(error.code)
  );
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a statement gave up waiting for a lock, as its lock_timeout told it. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

const QUERY_CANCELED = '57014';

/** Whether a statement was ended because it took longer than its statement_timeout. */
export function isCanceled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === QUERY_CANCELED;
}

/** SQLSTATE classes of a server that cannot serve now: connection, resources, operator intervention, system. */
const AWAY_CLASSES = new Set(['08', '53', '57', '58']);
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EPIPE',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
]);
const AWAY_MESSAGE =
  /timeout exceeded when trying to connect|connection terminated|connection ended|query read timeout|server closed the connection/i;

/** Whether a failure means that Postgres is away, too busy, or lets this process in no more, so that the same call may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return (
    isLoginRejected(error) ||
    isFailureOf(
      error,
      (code, message) =>
        AWAY_CODES.has(code) || AWAY_CLASSES.has(sqlStateClass(code)) || AWAY_MESSAGE.test(message),
    )
  );
}

const AUTHORIZATION_CLASS = '28';
const AUTHORIZATION_CODES = new Set(['P1000', 'P1010']);

/** Whether Postgres refuses this process itself: its password, as while that is rotated, its user or its address. */
export function isLoginRejected(error: unknown): boolean {
  return isFailureOf(
    error,
    (code) => AUTHORIZATION_CODES.has(code) || sqlStateClass(code) === AUTHORIZATION_CLASS,
  );
}

/** Whether an error is such a failure, or was caused by one. @param isSuch gets the code, empty where there is none, and the message */
function isFailureOf(error: unknown, isSuch: (code: string, message: string) => boolean): boolean {
  // Not by instanceof: the error of a socket may be of another realm.
  if (!isNativeError(error)) return false;
  const { code } = error as { readonly code?: unknown };
  return (
    isSuch(typeof code === 'string' ? code : '', error.message) || isFailureOf(error.cause, isSuch)
  );
}

function sqlStateClass(code: string): string {
  return /^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : '';
}
