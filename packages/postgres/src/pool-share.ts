import type { Pool } from 'pg';
import { countShareWait } from './pool-metrics.ts';
import { CONNECT_TIMEOUT_MS } from './pool.ts';

/** Runs work that uses one connection, as soon as this user of the pool may use one more. */
export type PoolShare = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The share of one service in a pool that it shares with others: at most `max` connections at once,
 * so that the slow statements of one service leave connections to the others. Raises the size of
 * the pool to `max`. Work waits in order of arrival; after `waitMs` it fails like work that waits
 * for the pool.
 */
export function createPoolShare(
  { options }: Pick<Pool, 'options'>,
  max: number,
  waitMs: number = CONNECT_TIMEOUT_MS,
): PoolShare {
  options.max = Math.max(options.max, max);
  const waiting = new Set<() => void>();
  let inUse = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (inUse < max) inUse += 1;
    else await turn();
    try {
      return await work();
    } finally {
      inUse -= 1;
      const [begin] = waiting;
      begin?.();
    }
  }

  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        waiting.delete(begin);
        countShareWait(-1);
      };
      const begin = (): void => {
        leave();
        inUse += 1;
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        reject(new Error('timeout exceeded when trying to connect'));
      }, waitMs);
      waiting.add(begin);
      countShareWait(1);
    });
  }

  // Where no other service has a larger share, the pool itself is the bound.
  return (work) => (options.max <= max ? work() : inTurn(work));
}
