import type { Pool } from 'pg';

/** Until a cancellation is repeated: one that arrives before its statement has no effect. */
const AGAIN_MS = 1_000;

/** Cancels what one connection runs, from another one. */
export interface StatementCanceler {
  /** Begins to cancel, until `end`. Never throws. */
  cancel(): void;
  /**
   * Resolves when no cancellation is on its way. The connection must not be given to anyone else
   * before: its next statement would be canceled.
   */
  end(): Promise<void>;
}

export function createStatementCanceler(
  pool: Pick<Pool, 'query'>,
  processId: number,
): StatementCanceler {
  let last: Promise<unknown> = Promise.resolve();
  let again: NodeJS.Timeout | undefined;
  const send = (): void => {
    // Without a free connection the statement ends when Postgres notices that this one is closed.
    last = last.then(() =>
      pool.query('select pg_cancel_backend($1)', [processId]).catch(() => undefined),
    );
  };
  return {
    cancel() {
      if (again !== undefined) return;
      send();
      again = setInterval(send, AGAIN_MS);
    },
    async end() {
      clearInterval(again);
      await last;
    },
  };
}
