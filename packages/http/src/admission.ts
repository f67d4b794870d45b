import { type AppError, gaugeTallies, type LoopLag } from '@tidings/platform';
import { createWaitQueue, type Waiter } from './wait-queue.ts';
import { overloadedError } from './overloaded.ts';
import { createShares, type Owner } from './shares.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

const pendingBytesOf = gaugeTallies({
  name: 'tidings_pending_bytes',
  help: 'Body bytes of in-flight requests.',
  labelNames: ['path'] as const,
});

/** The owner of a body and its maximum size. */
export type BodyToRead = Owner & { readonly bytesMax: number };

/**
 * Bounds the memory of in-flight requests and the time that they wait. Kafka calls have a deadline,
 * but an overloaded process would delay every admitted request further. So the decision falls
 * before a body is read, by the largest size that the body may have.
 * One application may use at most half of what the others leave free, so none can block the rest.
 * Its Client keys have a smaller share of their own: web pages with unfinished bodies take no
 * memory from the back end (see `Shares`).
 */
export interface Admission {
  /**
   * Whether the body fits now, and no earlier request of this owner waits. A body of unknown size
   * counts as the maximum.
   */
  canAdmit(req: IncomingMessage, body: BodyToRead): boolean;
  /**
   * Reserves memory for a request until it is answered. Null: admitted, at once if there is memory
   * or the request has its reservation already.
   * Otherwise the request waits in the queue, where applications and their two key types take
   * turns. After `waitMsMax`, or if the queue is full, the result is the 503 with `Retry-After`.
   * Waiting is cheaper than an immediate 503: rejected callers return at once, and rejecting them
   * again and again takes the time that admitted requests need.
   */
  admit(
    req: IncomingMessage,
    res: ServerResponse,
    body: BodyToRead,
  ): null | AppError | Promise<AppError | null>;
  /**
   * The body was read and has `bytes`, decompressed: frees the rest of the reservation. A request
   * whose permit was released meanwhile takes one again, even above the limit.
   */
  bodyRead(res: ServerResponse, bytes: number): void;
  /** Keeps the reservation until `work` ends: work continues after its caller disconnects. */
  hold<T>(res: ServerResponse, work: Promise<T>): Promise<T>;
}

/** The reservation of one request; it ends with its last holder. */
type Reservation = {
  readonly owner: Owner;
  bytes: number;
  holders: number;
  hasPermit: boolean;
  readonly since: number;
};

export type AdmissionOptions = {
  /** Label of the metrics. */
  readonly path: string;
  readonly bytesMax: number;
  readonly requestsMax: number;
  /** The event-loop delay, and its limit. */
  readonly lag?: Pick<LoopLag, 'sustainedMs'>;
  readonly lagMsMax?: number;
  /** Maximum time in the queue; 0: no queue. */
  readonly waitMsMax?: number;
};

/**
 * Maximum queued requests; one application may use half. More than there are connections, so it
 * only bounds callers that pipeline requests.
 */
const WAITERS_MAX = 32_768;
/**
 * A body that takes longer to arrive keeps its bytes but releases its permit: other requests do not
 * wait for slow connections.
 */
const BODY_WITHIN_MS = 100;

export function createAdmission({
  path,
  bytesMax,
  requestsMax,
  lag,
  lagMsMax = Infinity,
  waitMsMax = 0,
}: AdmissionOptions): Admission {
  const pendingBytes = pendingBytesOf({ path });
  const permits = createShares(requestsMax);
  const bytesInWork = createShares(bytesMax);
  const reservations = new WeakMap<ServerResponse, Reservation>();
  /** Requests with a permit whose body is still arriving, in order of arrival. */
  const reading = new Set<Reservation>();
  const queue = createWaitQueue({
    path,
    waitersMax: waitMsMax > 0 ? WAITERS_MAX : 0,
    bytesMax,
    waitMsMax,
    onTick: () => serve(),
  });

  const isKeepingUp = (): boolean => lag === undefined || lag.sustainedMs() <= lagMsMax;
  const fits = (owner: Owner, bytes: number): boolean =>
    isKeepingUp() && permits.fits(owner, 1) && bytesInWork.fits(owner, bytes);
  const changeBytes = (owner: Owner, by: number): void => {
    bytesInWork.change(owner, by);
    // Added, not set: several servers of a process may have one path.
    pendingBytes.value += by;
  };
  const reserve = ({ res, owner, bytes }: Waiter): void => {
    const reservation = { owner, bytes, holders: 1, hasPermit: true, since: performance.now() };
    permits.change(owner, 1);
    changeBytes(owner, bytes);
    reservations.set(res, reservation);
    reading.add(reservation);
    res.once('close', () => release(reservation));
  };
  const releasePermit = (reservation: Reservation): void => {
    reading.delete(reservation);
    if (reservation.hasPermit) permits.change(reservation.owner, -1);
    reservation.hasPermit = false;
  };
  const release = (reservation: Reservation): void => {
    reservation.holders -= 1;
    if (reservation.holders > 0) return;
    releasePermit(reservation);
    changeBytes(reservation.owner, -reservation.bytes);
    serve();
  };
  const releasePermitsOfSlowBodies = (): void => {
    const before = performance.now() - BODY_WITHIN_MS;
    for (const reservation of reading) {
      if (reservation.since > before) return;
      releasePermit(reservation);
    }
  };
  const serve = (): void => {
    if (queue.isEmpty() || !isKeepingUp()) return;
    releasePermitsOfSlowBodies();
    queue.serve((waiter) => {
      if (!fits(waiter.owner, waiter.bytes)) return false;
      reserve(waiter);
      return true;
    });
  };
  const hasRoom = (owner: Owner, bytes: number): boolean => {
    if (!queue.isEmptyFor(owner)) return false;
    if (fits(owner, bytes)) return true;
    releasePermitsOfSlowBodies();
    return fits(owner, bytes);
  };

  return {
    canAdmit: (req, body) => hasRoom(body, reservedBytes(req.headers, body.bytesMax)),
    admit(req, res, body) {
      // The caller disconnected during the key look-up: no `close` event would end a reservation.
      if (res.closed || reservations.has(res)) return null;
      const waiter = { res, owner: body, bytes: reservedBytes(req.headers, body.bytesMax) };
      if (!hasRoom(body, waiter.bytes)) return queue.join(waiter) ?? overloadedError();
      reserve(waiter);
      return null;
    },
    bodyRead(res, bytes) {
      const reservation = reservations.get(res);
      if (reservation === undefined || reservation.holders === 0) return;
      const { owner } = reservation;
      reading.delete(reservation);
      if (!reservation.hasPermit) permits.change(owner, 1);
      reservation.hasPermit = true;
      if (bytes >= reservation.bytes) return;
      changeBytes(owner, bytes - reservation.bytes);
      reservation.bytes = bytes;
      serve();
    },
    hold(res, work) {
      const reservation = reservations.get(res);
      if (reservation === undefined || reservation.holders === 0) return work;
      reservation.holders += 1;
      return work.finally(() => release(reservation));
    },
  };
}

function reservedBytes(headers: Readonly<Record<string, unknown>>, bodyBytesMax: number): number {
  const length = Number(headers['content-length']);
  if (headers['content-encoding'] !== undefined || !Number.isSafeInteger(length))
    return bodyBytesMax;
  // A body above the limit is rejected by its declared length, before it is read.
  return Math.min(length, bodyBytesMax);
}
