import type { AppError } from '../app-error.ts';
import type { LoopLag } from '../loop-lag.ts';
import { Gauge } from '../metrics.ts';
import { createWaitQueue, type Waiter } from './wait-queue.ts';
import { overloadedError } from './overloaded.ts';
import { createShares, type Owner } from './shares.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

const pendingBytes = new Gauge({
  name: 'tidings_pending_bytes',
  help: 'Body bytes of requests in work.',
  labelNames: ['path'] as const,
});

/** Whose body is to be read, and how large it may be. */
export type BodyToRead = Owner & { readonly bytesMax: number };

/**
 * Bounds the memory of requests in work, and how long they wait: for Kafka there is a deadline, but when the process itself
 * cannot keep up, every request taken in makes all others later. It decides before a body is read, by the size the body may
 * have. An application has at most half of what the others leave, so that none can shut the door for all. Its Client keys
 * have a smaller share of their own: a web page that leaves its bodies unfinished takes no room of the back end (`Shares`).
 */
export interface Admission {
  /** Whether the body would fit, now and before nobody else; one of unknown size counts as the largest. */
  canAdmit(req: IncomingMessage, body: BodyToRead): boolean;
  /**
   * Takes the room of a request until it is answered: null, at once where it has room or had taken it before. Else its caller
   * waits in line, where applications and the two types of their keys have their turns, and after the longest wait it is the 503 with `Retry-After`; so it is
   * at once where the line is full. Who is refused at once comes back at once, and to refuse him all the time would take what
   * those inside need.
   */
  admit(
    req: IncomingMessage,
    res: ServerResponse,
    body: BodyToRead,
  ): null | AppError | Promise<AppError | null>;
  /** The body has been read and has `bytes`, decompressed: the rest of its room is free. Whose place was taken meanwhile has one again, though there may be none. */
  bodyRead(res: ServerResponse, bytes: number): void;
  /** Keeps the room of an admitted request until `work` ends: a caller who goes away does not end the work. */
  hold<T>(res: ServerResponse, work: Promise<T>): Promise<T>;
}

/** The room of one request; it is free when nobody holds it any more. */
type Reservation = {
  readonly owner: Owner;
  bytes: number;
  holders: number;
  hasPermit: boolean;
  readonly since: number;
};

export type AdmissionOptions = {
  /** Whose requests, in the metrics. */
  readonly path: string;
  readonly bytesMax: number;
  readonly requestsMax: number;
  /** How late every turn of the event loop is, and how late it may be. */
  readonly lag?: Pick<LoopLag, 'sustainedMs'>;
  readonly lagMsMax?: number;
  /** The longest wait in line; without one there is no line. */
  readonly waitMsMax?: number;
};

/** Half of them of one application: more than there are connections, so that it bounds only those who send many at once over each. */
const WAITERS_MAX = 32_768;
/** A caller who takes longer to send his body has no place meanwhile, only the bytes: nobody waits for his line to the internet. */
const BODY_WITHIN_MS = 100;

export function createAdmission({
  path,
  bytesMax,
  requestsMax,
  lag,
  lagMsMax = Infinity,
  waitMsMax = 0,
}: AdmissionOptions): Admission {
  const permits = createShares(requestsMax);
  const bytesInWork = createShares(bytesMax);
  const reservations = new WeakMap<ServerResponse, Reservation>();
  /** Those whose bodies are under way and that have a place, in the order in which they came. */
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
    pendingBytes.set({ path }, bytesInWork.total());
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
      // Its caller went while the key was looked up: nothing would give the room back.
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
  // A body over the limit is refused by its length, before it is read.
  return Math.min(length, bodyBytesMax);
}
