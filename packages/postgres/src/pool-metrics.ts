import { Gauge } from '@tidings/platform';
import type { Pool } from 'pg';

/** Open pools of this process. */
const pools = new Set<Pool>();
/** Work that waits for the share of its service, not for the pool. */
let waitingForShare = 0;

new Gauge({
  name: 'tidings_database_connections',
  help: 'Connections to Postgres by state; waiting: requests for a connection that the pool cannot serve yet.',
  labelNames: ['state'] as const,
  collect() {
    let [busy, idle, waiting] = [0, 0, waitingForShare];
    for (const pool of pools) {
      busy += pool.totalCount - pool.idleCount;
      idle += pool.idleCount;
      waiting += pool.waitingCount;
    }
    this.set({ state: 'busy' }, busy);
    this.set({ state: 'idle' }, idle);
    this.set({ state: 'waiting' }, waiting);
  },
});

/** Includes a pool in the metric until the returned function is called. */
export function watchPool(pool: Pool): () => void {
  pools.add(pool);
  return () => void pools.delete(pool);
}

/** Counts work that begins (1) or ends (-1) to wait for the share of its service. */
export function countShareWait(by: 1 | -1): void {
  waitingForShare += by;
}
