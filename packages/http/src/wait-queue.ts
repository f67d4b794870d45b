import { type AppError, Gauge } from '@tidings/platform';
import type { ServerResponse } from 'node:http';
import { overloadedError } from './overloaded.ts';
import { createShares, type Owner } from './shares.ts';

const waitingRequestsGauge = new Gauge({
  name: 'tidings_waiting_requests',
  help: 'Requests waiting for admission.',
  labelNames: ['path'] as const,
});

/** A request that waits for admission. */
export type Waiter = {
  readonly res: ServerResponse;
  readonly owner: Owner;
  readonly bytes: number;
};

/**
 * Requests that wait for admission. Owners take turns; the requests of one owner are served in
 * order of arrival.
 */
export interface WaitQueue {
  isEmpty(): boolean;
  isEmptyFor(owner: Owner): boolean;
  /**
   * Resolves with null when the request is admitted. Resolves with the 503 after the maximum wait,
   * or when the caller disconnects. Undefined: the queue is full.
   */
  join(waiter: Waiter): Promise<AppError | null> | undefined;
  /**
   * Calls `admit` with the next request of each owner, in turns, until none is admitted. `admit`
   * returns whether it admitted the request.
   */
  serve(admit: (waiter: Waiter) => boolean): void;
}

export type WaitQueueOptions = {
  readonly path: string;
  readonly waitersMax: number;
  /** Maximum bytes that Node reads ahead from the bodies of waiting requests. */
  readonly bytesMax: number;
  readonly waitMsMax: number;
  /** Called every 20 ms while requests wait. */
  readonly onTick: () => void;
};

type QueueEntry = Waiter & {
  readonly until: number;
  readonly settle: (rejection: AppError | null) => void;
};

/** Bytes of a body that Node reads before a consumer asks for it. */
const READ_AHEAD_BYTES = 96 * 1024;
const TICK_MS = 20;

export function createWaitQueue({
  path,
  waitersMax,
  bytesMax,
  waitMsMax,
  onTick,
}: WaitQueueOptions): WaitQueue {
  const queues = new Map<string, Set<QueueEntry>>();
  const waiters = createShares(waitersMax);
  const bytesWaiting = createShares(bytesMax);
  let ticking: NodeJS.Timeout | undefined;

  const change = ({ owner, bytes }: Waiter, by: 1 | -1): void => {
    waiters.change(owner, by);
    bytesWaiting.change(owner, by * Math.min(bytes, READ_AHEAD_BYTES));
    waitingRequestsGauge.inc({ path }, by);
  };
  const leave = (entry: QueueEntry, rejection: AppError | null): void => {
    const key = queueKeyOf(entry.owner);
    const queue = queues.get(key);
    if (queue?.delete(entry) !== true) return;
    if (queue.size === 0) queues.delete(key);
    change(entry, -1);
    entry.settle(rejection);
  };
  const rejectExpired = (): void => {
    const now = performance.now();
    for (const queue of queues.values()) {
      for (const entry of queue) {
        if (entry.until > now) break;
        leave(entry, overloadedError());
      }
    }
  };
  const tick = (): void => {
    onTick();
    rejectExpired();
    if (queues.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };

  return {
    isEmpty: () => queues.size === 0,
    isEmptyFor: (owner) => queues.size === 0 || !queues.has(queueKeyOf(owner)),
    join(waiter) {
      const { owner, bytes, res } = waiter;
      if (!waiters.fits(owner, 1) || !bytesWaiting.fits(owner, Math.min(bytes, READ_AHEAD_BYTES)))
        return undefined;
      ticking ??= setInterval(tick, TICK_MS).unref();
      return new Promise((resolve) => {
        const onClose = (): void => {
          leave(entry, overloadedError());
          // Other requests of this owner may have waited behind this one.
          onTick();
        };
        const settle = (rejection: AppError | null): void => {
          res.off('close', onClose);
          resolve(rejection);
        };
        const entry: QueueEntry = {
          ...waiter,
          until: performance.now() + waitMsMax,
          settle,
        };
        res.once('close', onClose);
        const key = queueKeyOf(owner);
        const queue = queues.get(key) ?? new Set();
        queue.add(entry);
        queues.set(key, queue);
        change(entry, 1);
      });
    },
    serve(admit) {
      for (const [key, queue] of queues) {
        const [next] = queue;
        if (next === undefined || !admit(next)) continue;
        leave(next, null);
        // Moves the owner to the end of the map: the loop reaches it again after all others.
        if (queues.delete(key)) queues.set(key, queue);
      }
    },
  };
}

/** Only called with waiting requests: see `isEmptyFor`. */
function queueKeyOf({ applicationId, keyType }: Owner): string {
  return keyType === 'client' ? `${applicationId}:client` : applicationId;
}
