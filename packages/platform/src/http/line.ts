import type { ServerResponse } from 'node:http';
import type { AppError } from '../app-error.ts';
import { Gauge } from '../metrics.ts';
import { noRoom } from './no-room.ts';
import { createShares } from './shares.ts';

const waitingRequests = new Gauge({ name: 'tidings_waiting_requests', help: 'Requests that wait in line for room.', labelNames: ['path'] as const });

/** Somebody who waits for room. */
export type Waiter = { readonly res: ServerResponse; readonly applicationId: string; readonly bytes: number };

/** Callers who wait for room: applications by turns, those of one first come first served. */
export interface Line {
  isEmpty(): boolean;
  isEmptyFor(applicationId: string): boolean;
  /** Resolves with null when it is served, with the refusal after the longest wait or when its caller goes; undefined where the line is full. */
  join(waiter: Waiter): Promise<AppError | null> | undefined;
  /** Offers room to whoever is next of each application, until none takes it; `admit` says whether it has taken it. */
  serve(admit: (waiter: Waiter) => boolean): void;
}

export type LineOptions = {
  readonly path: string;
  readonly waitersMax: number;
  /** Of what is read ahead of their bodies. */
  readonly bytesMax: number;
  readonly waitMsMax: number;
  /** There is somebody in line, and time went by. */
  readonly onTick: () => void;
};

type Place = Waiter & { readonly until: number; readonly decide: (refusal: AppError | null) => void };

/** So much of a body is read from its connection before anybody asks for it. */
const READ_AHEAD_BYTES = 96 * 1024;
const TICK_MS = 20;

export function createLine({ path, waitersMax, bytesMax, waitMsMax, onTick }: LineOptions): Line {
  const queues = new Map<string, Set<Place>>();
  const waiters = createShares(waitersMax);
  const bytesWaiting = createShares(bytesMax);
  let ticking: NodeJS.Timeout | undefined;

  const change = ({ applicationId, bytes }: Waiter, by: 1 | -1): void => {
    waiters.change(applicationId, by);
    bytesWaiting.change(applicationId, by * Math.min(bytes, READ_AHEAD_BYTES));
    waitingRequests.set({ path }, waiters.total());
  };
  const leave = (place: Place, refusal: AppError | null): void => {
    const queue = queues.get(place.applicationId);
    if (queue?.delete(place) !== true) return;
    if (queue.size === 0) queues.delete(place.applicationId);
    change(place, -1);
    place.decide(refusal);
  };
  const refuseTheLate = (): void => {
    const now = performance.now();
    for (const queue of queues.values()) {
      for (const place of queue) {
        if (place.until > now) break;
        leave(place, noRoom());
      }
    }
  };
  const tick = (): void => {
    onTick();
    refuseTheLate();
    if (queues.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };

  return {
    isEmpty: () => queues.size === 0,
    isEmptyFor: (applicationId) => !queues.has(applicationId),
    join(waiter) {
      const { applicationId, bytes, res } = waiter;
      if (!waiters.fits(applicationId, 1) || !bytesWaiting.fits(applicationId, Math.min(bytes, READ_AHEAD_BYTES))) return undefined;
      ticking ??= setInterval(tick, TICK_MS).unref();
      return new Promise((resolve) => {
        const goAway = (): void => {
          leave(place, noRoom());
          // He may have been the one that the others of his application waited for.
          onTick();
        };
        const decide = (refusal: AppError | null): void => {
          res.off('close', goAway);
          resolve(refusal);
        };
        const place: Place = { ...waiter, until: performance.now() + waitMsMax, decide };
        res.once('close', goAway);
        const queue = queues.get(applicationId) ?? new Set();
        queue.add(place);
        queues.set(applicationId, queue);
        change(place, 1);
      });
    },
    serve(admit) {
      for (const [applicationId, queue] of queues) {
        const [next] = queue;
        if (next === undefined || !admit(next)) continue;
        leave(next, null);
        // Put at the end, where this loop comes to it again after all others.
        if (queues.delete(applicationId)) queues.set(applicationId, queue);
      }
    },
  };
}
