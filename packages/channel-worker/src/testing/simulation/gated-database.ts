import type { Database } from '@tidings/postgres/database';
import type { Gates } from './gates.ts';

/** The connection broke before the response: the statement may have run. */
export class LostReplyError extends Error {}

export type GatedOptions = {
  readonly who: string;
  readonly gates: Gates;
  /** Whether the answer of a statement is lost: `before` it was done, or `after`. */
  readonly loses: () => 'before' | 'after' | 'nothing';
  /** Counts the statements that Postgres is at work on. */
  readonly busy: { count: number };
};

/** The real database, each statement behind a gate, and each transaction as a whole. */
export function gateDatabase(db: Database, { who, gates, loses, busy }: GatedOptions): Database {
  async function pass<T>(what: string, run: () => Promise<T>): Promise<T> {
    await gates.pass(who, what);
    const lost = loses();
    if (lost === 'before') throw new LostReplyError('the connection broke before the statement');
    busy.count += 1;
    try {
      const result = await run();
      if (lost === 'after') throw new LostReplyError('the connection broke after the statement');
      return result;
    } finally {
      busy.count -= 1;
    }
  }
  const query = (...args: unknown[]): Promise<unknown> =>
    pass(firstWords(String(args[0])), () =>
      (db.sql.query as (...all: unknown[]) => Promise<unknown>).apply(db.sql, args),
    );
  return {
    ...db,
    sql: { query: query as Database['sql']['query'] },
    transaction: (work) => pass('transaction', () => db.transaction(work)),
  };
}

function firstWords(statement: string): string {
  return statement.replaceAll(/\s+/g, ' ').trim().slice(0, 60);
}
