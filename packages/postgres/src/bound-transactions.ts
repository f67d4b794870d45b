import type { Clock } from '@tidings/platform';
import type { Database, Sql } from './database.ts';

/** Milliseconds of all statements of a transaction together, and of each. */
export type TransactionBounds = { readonly totalMs: number; readonly statementMs: number };

/**
 * The same database, whose transactions have a total time, however many statements they run. Then
 * Postgres cancels the statement: see `isCanceled`.
 */
export function boundTransactions(
  db: Database,
  { totalMs, statementMs }: TransactionBounds,
  clock: Clock,
): Database {
  return {
    ...db,
    transaction: (work, options) =>
      db.transaction((sql) => {
        const endsAt = clock.monotonicMs() + totalMs;
        return work(
          beforeEach(sql, async () => {
            // 0 would switch the bound off.
            const left = Math.max(1, Math.floor(endsAt - clock.monotonicMs()));
            await sql.query(`set local statement_timeout = ${Math.min(left, statementMs)}`);
          }),
        );
      }, options),
  };
}

/** Runs `prepare` before each statement. */
function beforeEach(sql: Sql, prepare: () => Promise<void>): Sql {
  const query = async (...args: unknown[]): Promise<unknown> => {
    await prepare();
    return (sql.query as (...all: unknown[]) => Promise<unknown>).apply(sql, args);
  };
  return { query: query as Sql['query'] };
}
