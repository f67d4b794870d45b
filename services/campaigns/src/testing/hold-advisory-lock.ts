import type { Database } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { expect } from '@jest/globals';

/** An advisory lock, held in a transaction of its own until it is disposed of. */
export async function holdAdvisoryLock(db: Database, key: number) {
  const held = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const holding = db.transaction(async (sql) => {
    await sql.query('select pg_advisory_xact_lock($1)', [key]);
    held.resolve();
    await end.promise;
  });
  await held.promise;
  /** Sessions that wait for it. */
  const awaitedBy = async (): Promise<number[]> => {
    const { rows } = await db.sql.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [key],
    );
    return rows.map(({ pid }) => pid);
  };
  const release = async (): Promise<void> => {
    end.resolve();
    await holding;
  };
  return {
    awaitedBy,
    isAwaited: () =>
      eventually(async () => {
        const [pid, ...others] = await awaitedBy();
        expect(others).toEqual([]);
        if (pid === undefined) throw new Error('no session waits for the lock');
        return pid;
      }),
    release,
    [Symbol.asyncDispose]: release,
  };
}
