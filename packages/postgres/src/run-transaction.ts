import { onAbort } from '@tidings/platform';
import { isNativeError } from 'node:util/types';
import type { PoolClient } from 'pg';
import { createStatementCanceler } from './cancel-statement.ts';
import type { PreparingClient } from './define-prepared.ts';
import { BEGIN_BY_KEYS } from './plans-by-keys.ts';
import type { OpenPool } from './pool.ts';
import type { Sql, TransactionOptions } from './sql.ts';

/** A connection that does not answer this in time is given up. */
const ROLLBACK = { text: 'rollback', query_timeout: 5_000 };

/** Postgres looks that often whether the client of a long statement is still there. */
const CLIENT_CHECK_MS = 2_000;

type Connection = PoolClient & PreparingClient & { readonly processID: number };

/** As `Database.transaction`. */
export async function runTransaction<T>(
  { pool, answerGraceMs }: OpenPool,
  work: (sql: Sql) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { isKeyed = false, statementTimeoutMs, signal } = options;
  signal?.throwIfAborted();
  const client = (await pool.connect()) as Connection;
  const canceler = createStatementCanceler(pool, client.processID);
  const stopListening =
    signal === undefined ? () => undefined : onAbort(signal, () => canceler.cancel());
  const bounds =
    statementTimeoutMs === undefined ? {} : { timeoutMs: statementTimeoutMs + answerGraceMs };
  client.bounds = bounds;
  try {
    await client.query(beginOf(options));
    const result = await runWork(client, work, {
      isKeyed: client.isKeyed || isKeyed,
      bounds: { ...bounds, ...(signal !== undefined && { signal }) },
    });
    stopListening();
    await canceler.end();
    await client.query('commit');
    release(client, { isClean: true });
    return result;
  } catch (error) {
    stopListening();
    // Its statement still runs, and the rollback waits behind it.
    if (isReadTimeout(error)) canceler.cancel();
    const isClean = await (client as PoolClient).query(ROLLBACK).then(
      () => true,
      () => false,
    );
    await canceler.end();
    release(client, { isClean });
    throw error;
  }
}

/** The next user may take it at once, so nothing of this transaction may be left. */
function release(client: Connection, { isClean }: { readonly isClean: boolean }): void {
  client.bounds = {};
  client.release(!isClean);
}

function beginOf({
  isKeyed = false,
  statementTimeoutMs,
  idleTimeoutMs,
}: TransactionOptions): string {
  return [
    isKeyed ? BEGIN_BY_KEYS : 'begin',
    ...(statementTimeoutMs === undefined
      ? []
      : [
          `set local statement_timeout = ${statementTimeoutMs}`,
          `set local client_connection_check_interval = ${CLIENT_CHECK_MS}`,
        ]),
    ...(idleTimeoutMs === undefined
      ? []
      : [`set local idle_in_transaction_session_timeout = ${idleTimeoutMs}`]),
  ].join('; ');
}

/** What holds for the work alone does not hold for the end of the transaction. */
async function runWork<T>(
  client: Connection,
  work: (sql: Sql) => Promise<T>,
  during: Pick<PreparingClient, 'isKeyed' | 'bounds'>,
): Promise<T> {
  const { isKeyed, bounds } = client;
  Object.assign(client, during);
  try {
    return await work(client);
  } finally {
    Object.assign(client, { isKeyed, bounds });
  }
}

const isReadTimeout = (error: unknown): boolean =>
  isNativeError(error) && error.message === 'Query read timeout';
