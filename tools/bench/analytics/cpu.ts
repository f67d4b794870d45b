import type { Database } from '@tidings/postgres/database';
import { backendCpu } from '../installation/backend-cpu.ts';

const MICROSECONDS = 1_000_000;

export type Cost = { readonly cpuSeconds: number; readonly ms: number };

/** CPU seconds of this process and of its one connection, and the wall time, of some work. */
export async function measureCost<T>(
  db: Database,
  work: () => Promise<T>,
): Promise<Cost & { readonly result: T }> {
  const before = { postgres: await backendCpu(db), own: process.cpuUsage() };
  const beganAt = performance.now();
  const result = await work();
  const ms = performance.now() - beganAt;
  const { user, system } = process.cpuUsage(before.own);
  const postgres = (await backendCpu(db)) - before.postgres;
  return { result, ms, cpuSeconds: postgres + (user + system) / MICROSECONDS };
}
