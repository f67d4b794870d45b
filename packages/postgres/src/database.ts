import type { PrismaClient } from '@tidings/database/client';
import { integer, text, type ConfigOf, type ConfigSpec, type Shared } from '@tidings/platform';
import { isNativeError } from 'node:util/types';
import { DatabaseError } from 'pg';
import { openPool, type OpenPool, type PoolSettings } from './pool.ts';
import { createPoolShare, type PoolShare } from './pool-share.ts';
import { runTransaction } from './run-transaction.ts';
import type { Sql, TransactionOptions } from './sql.ts';

export type { Sql };

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
  transaction<T>(work: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

/** Opens a pool of its own. */
export function connectDatabase(settings: PoolSettings): Database {
  const open = openPool(settings);
  return databaseOn(open, { sql: open.pool, share: (work) => work(), close: () => open.close() });
}

/**
 * Connects a service with its settings. Services of one process that have the same settings and the
 * same name in `shared` use one pool, each at most `databasePoolMax` connections of it.
 */
export function databaseFrom(
  config: ConfigOf<typeof databaseConfig>,
  service: string,
  { shared, isKeyed = false }: { readonly shared: Shared; readonly isKeyed?: boolean },
): Database {
  const settings = {
    databaseUrl: config.databaseUrl,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    applicationName: shared.nameOf(service),
    isKeyed,
  };
  const use = shared.use(`database ${JSON.stringify(settings)}`, {
    open: () => openPool({ ...settings, poolMax: config.databasePoolMax }),
    close: (open) => open.close(),
  });
  const { pool } = use.value;
  const share = createPoolShare(pool, config.databasePoolMax);
  const query = (...args: unknown[]): Promise<unknown> =>
    share(() => (pool.query as (...all: unknown[]) => Promise<unknown>).apply(pool, args));
  return databaseOn(use.value, {
    sql: { query: query as Sql['query'] },
    share,
    close: () => use.release(),
  });
}

type Access = {
  readonly sql: Sql;
  readonly share: PoolShare;
  readonly close: () => Promise<void>;
};

/** Statements of Prisma, single rows by key, do not count as part of a share. */
function databaseOn(open: OpenPool, { sql, share, close }: Access): Database {
  return {
    prisma: open.prisma,
    sql,
    transaction: (work, options) => share(() => runTransaction(open, work, options)),
    close,
  };
}

/** Preloads Prisma, so the first user does not wait for it. */
export async function loadPrisma(db: Database): Promise<void> {
  await db.prisma();
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

const UNDEFINED_TABLE = '42P01';

/** Whether a statement names a table that no migration has created yet. */
export function isUndefinedTable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === UNDEFINED_TABLE;
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
/** The first two are of a pool and of a single connection that Postgres did not accept in time. */
const AWAY_MESSAGE =
  /timeout exceeded when trying to connect|^timeout expired$|connection terminated|connection ended|is not queryable|query read timeout|server closed the connection/i;

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
