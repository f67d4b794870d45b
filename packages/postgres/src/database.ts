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
  databasePoolMax: integer('DATABASE_POOL_MAX', 'Maximum connections to Postgres of one process.', {
    default: 10,
    min: 1,
    max: 200,
  }),
  databaseStatementTimeoutMs: integer(
    'DATABASE_STATEMENT_TIMEOUT_MS',
    'Maximum duration of a statement; Postgres cancels it then.',
    { default: 30_000, min: 100 },
  ),
} as const satisfies ConfigSpec;

/**
 * `databaseConfig` for services that face the internet. Their role has only the rights in
 * `public-role.sql`.
 */
export const publicDatabaseConfig = {
  ...databaseConfig,
  databaseUrl: text(
    'PUBLIC_DATABASE_URL',
    'Like `DATABASE_URL`, for the restricted role of the services that face the internet: `tidings_public` or a member of it.',
    {
      secret: true,
      fallbackEnv: databaseConfig.databaseUrl.env,
    },
  ),
} as const satisfies ConfigSpec;

/** Runs statements, inside a transaction or not. */
export type Sql = Pick<PoolClient, 'query'>;

/**
 * The connections of one process: Prisma for single rows and settings, SQL statements on sets for
 * hot paths.
 */
export interface Database {
  /**
   * Loaded on first use, which most processes never need: it takes 12 MiB, and 50 MiB once it
   * reads.
   */
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
   * Forces index plans: every statement finds its rows by keys. Otherwise a full-scan plan made for
   * a nearly empty table would stay cached until the next ANALYZE.
   */
  readonly isKeyed?: boolean;
};

// The generic plan: with custom plans, a statement with a short key list costs several times more
// to plan than to run.
const PLANS_BY_KEYS =
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan';

/**
 * Opens a pool. It connects on first use; a connection attempt fails after 5 s without a response.
 */
export function connectDatabase(settings: DatabaseSettings): Database {
  const pool = createPool(settings);
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

function createPool({
  databaseUrl,
  poolMax,
  applicationName,
  statementTimeoutMs = 30_000,
  isKeyed = false,
}: DatabaseSettings): Pool {
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
  // The pool replaces broken idle connections; the next statement reports an unavailable database.
  pool.on('error', () => undefined);
  // A connection in use reports its failure by its next statement. Without its own listener, an
  // error that arrives with the greeting, between pool and first user, would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Preloads Prisma, so the first user does not wait for it. */
export async function loadPrisma(db: Database): Promise<void> {
  await db.prisma();
}

/** Connects a service with its settings. */
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

/**
 * SQLSTATE classes that the same input always causes again: data exception, integrity, program
 * limit.
 */
const DATA_ERROR_CLASSES = new Set(['22', '23', '54']);

/**
 * The SQLSTATE of an error caused by the data, not by the state of the database; undefined for all
 * others.
 */
export function dataErrorState(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError) || error.code === undefined || isMissingPartition(error))
    return undefined;
  return DATA_ERROR_CLASSES.has(error.code.slice(0, 2)) ? error.code : undefined;
}

/**
 * Whether a row had no partition. Postgres reports a failed check without the name of a constraint.
 */
export function isMissingPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23514' && error.constraint === undefined;
}

const CONFLICT_CODES = new Set(['40001', '40P01']);

/**
 * Whether Postgres ended the transaction because of a conflict (deadlock, serialization), so an
 * immediate retry is right.
 */
export function isTransactionConflict(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code !== undefined && CONFLICT_CODES.has(error.code)
  );
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a statement reached its lock_timeout. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

const QUERY_CANCELED = '57014';

/** Whether a statement was cancelled, usually by its statement_timeout. */
export function isCanceled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === QUERY_CANCELED;
}

/**
 * SQLSTATE classes of an unavailable server: connection, resources, operator intervention, system.
 */
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
  /timeout exceeded when trying to connect|connection terminated|connection ended|is not queryable|query read timeout|server closed the connection/i;

/**
 * Whether Postgres is unreachable, overloaded or rejects this login, so the same call may succeed
 * later.
 */
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

/**
 * Whether Postgres rejects the login of this process: its password (as during a rotation), its user
 * or its address.
 */
export function isLoginRejected(error: unknown): boolean {
  return isFailureOf(
    error,
    (code) => AUTHORIZATION_CODES.has(code) || sqlStateClass(code) === AUTHORIZATION_CLASS,
  );
}

/**
 * Whether an error, or one of its causes, matches. @param isSuch gets the code (empty if there is
 * none) and the message
 */
function isFailureOf(error: unknown, isSuch: (code: string, message: string) => boolean): boolean {
  // Not `instanceof`: a socket error may come from another realm.
  if (!isNativeError(error)) return false;
  const { code } = error as { readonly code?: unknown };
  return (
    isSuch(typeof code === 'string' ? code : '', error.message) || isFailureOf(error.cause, isSuch)
  );
}

function sqlStateClass(code: string): string {
  return /^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : '';
}
