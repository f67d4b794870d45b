import type { PrismaClient } from '@tidings/database/client';
import { systemClock } from '@tidings/platform';
import { Pool, type ClientConfig } from 'pg';
import { PreparingClient, type PlanSettings } from './define-prepared.ts';
import { PLANS_BY_KEYS } from './plans-by-keys.ts';
import { watchPool } from './pool-metrics.ts';

export type PoolSettings = {
  readonly databaseUrl: string;
  readonly poolMax: number;
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  /** Forces index plans, see `PLANS_BY_KEYS`. */
  readonly isKeyed?: boolean;
  /** Says how old a plan is. */
  readonly clock?: PlanSettings['clock'];
  /** How much longer than Postgres the client waits for a statement, for its answer to arrive. */
  readonly answerGraceMs?: number;
};

/** An open pool, with Prisma on it. */
export interface OpenPool {
  readonly pool: Pool;
  readonly answerGraceMs: number;
  prisma(): Promise<PrismaClient>;
  close(): Promise<void>;
}

/** Time until a caller without a connection gets an error. */
export const CONNECT_TIMEOUT_MS = 5_000;

const ANSWER_GRACE_MS = 5_000;

/**
 * Opens a pool. It connects on first use; a connection attempt fails after 5 s without a response.
 */
export function openPool(settings: PoolSettings): OpenPool {
  const { answerGraceMs = ANSWER_GRACE_MS } = settings;
  const pool = createPool({ ...settings, answerGraceMs });
  const stopWatching = watchPool(pool);
  let prisma: Promise<PrismaClient> | undefined;
  return {
    pool,
    answerGraceMs,
    prisma: () => (prisma ??= import('./prisma.ts').then(({ createPrisma }) => createPrisma(pool))),
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
  clock = systemClock,
  answerGraceMs,
}: PoolSettings & Pick<OpenPool, 'answerGraceMs'>): Pool {
  class PoolClient extends PreparingClient {
    constructor(config?: ClientConfig) {
      super(config, { isKeyed, clock });
    }
  }
  const pool = new Pool({
    Client: PoolClient,
    connectionString: databaseUrl,
    max: poolMax,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + answerGraceMs,
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
