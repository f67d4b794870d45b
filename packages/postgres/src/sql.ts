import type { PoolClient } from 'pg';

/** Runs statements, inside a transaction or not. */
export type Sql = Pick<PoolClient, 'query'>;

export type TransactionOptions = {
  /** Forces index plans, as for a pool: only this transaction plans by keys. */
  readonly isKeyed?: boolean;
  /**
   * Maximum duration of each statement, in place of the pool's. The client waits as long, and a
   * statement that it no longer waits for is canceled in Postgres, also when this process dies.
   */
  readonly statementTimeoutMs?: number;
  /** How long it may do nothing, in place of the pool's: then Postgres ends it, with its locks. */
  readonly idleTimeoutMs?: number;
  /** Cancels the statement that runs, and begins no other. The transaction is rolled back. */
  readonly signal?: AbortSignal;
};
