import type { Database } from '@tidings/postgres/database';
import { readFileSync } from 'node:fs';

const NANOSECONDS = 1_000_000_000;

/**
 * CPU seconds of the Postgres process of a pool with one connection, to the nanosecond; NaN on
 * systems other than Linux.
 */
export async function backendCpu(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ pid: number }>('select pg_backend_pid() as pid');
  try {
    // Times on a CPU and waiting for one, and the number of time slices.
    const [running] = readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ');
    return Number(running) / NANOSECONDS;
  } catch {
    return NaN;
  }
}
