import { AppError } from '../app-error.ts';
import type { LoopLag } from '../loop-lag.ts';
import { Gauge } from '../metrics.ts';
import { retryAfterSeconds } from '../retry.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

const pendingBytes = new Gauge({ name: 'tidings_pending_bytes', help: 'Body bytes of requests in work.', labelNames: ['path'] as const });

/**
 * Bounds the memory of requests in work, and how long they wait: for Kafka there is a deadline, but when the process itself
 * cannot keep up, every request taken in makes all others later. It decides before a body is read, by the size the body may have.
 */
export interface Admission {
  /** Whether the body would fit, now and before nobody else; one of unknown size counts as the largest. */
  hasRoom(req: IncomingMessage, bodyBytesMax: number): boolean;
  /**
   * Takes the room of a request until it is answered: null, at once where it has room or had taken it before. Else its caller
   * waits in line, with nothing but a connection, first come first served; after the longest wait it is the 503 with
   * `Retry-After`. Who is refused at once comes back at once, and to refuse him all the time would take what those inside need.
   */
  enter(req: IncomingMessage, res: ServerResponse, bodyBytesMax: number): null | Promise<AppError | null>;
  /** The body has been read and has `bytes`, decompressed: the rest of its room is free. */
  shrink(res: ServerResponse, bytes: number): void;
  /** Keeps the room of an admitted request until `work` ends: a caller who goes away does not end the work. */
  hold<T>(res: ServerResponse, work: Promise<T>): Promise<T>;
}

/** The room of one request; it is free when nobody holds it any more. */
type Reservation = { bytes: number; holders: number };
/** Somebody in line. */
type Waiter = { readonly res: ServerResponse; readonly bytes: number; readonly decide: (refusal: AppError | null) => void };

export type AdmissionOptions = {
  /** Whose requests, in the metrics. */
  readonly path: string;
  readonly bytesMax: number;
  readonly requestsMax: number;
  /** How late every turn of the event loop is, and how late it may be. */
  readonly lag?: Pick<LoopLag, 'sustainedMs'>;
  readonly lagMsMax?: number;
  /** The longest wait in line. */
  readonly waitMsMax?: number;
};

export function createAdmission({ path, bytesMax, requestsMax, lag, lagMsMax = Infinity, waitMsMax = 0 }: AdmissionOptions): Admission {
  const pending = { bytes: 0, requests: 0 };
  const reservations = new WeakMap<ServerResponse, Reservation>();
  const line = new Set<Waiter>();

  const fits = (bytes: number): boolean =>
    (lag === undefined || lag.sustainedMs() <= lagMsMax) && pending.requests < requestsMax && pending.bytes + bytes <= bytesMax;
  const changeBytes = (by: number): void => {
    pending.bytes += by;
    pendingBytes.set({ path }, pending.bytes);
  };
  const reserve = (res: ServerResponse, bytes: number): void => {
    const reservation = { bytes, holders: 1 };
    pending.requests += 1;
    changeBytes(bytes);
    reservations.set(res, reservation);
    res.once('close', () => release(reservation));
  };
  const release = (reservation: Reservation): void => {
    reservation.holders -= 1;
    if (reservation.holders > 0) return;
    pending.requests -= 1;
    changeBytes(-reservation.bytes);
    moveUp();
  };
  /** Whoever is first comes in as soon as there is room for him; those behind him wait for that, however small they are. */
  const moveUp = (): void => {
    for (const { res, bytes, decide } of line) {
      if (!fits(bytes)) return;
      reserve(res, bytes);
      decide(null);
    }
  };
  const wait = (res: ServerResponse, bytes: number): Promise<AppError | null> =>
    new Promise((resolve) => {
      const decide = (refusal: AppError | null): void => {
        line.delete(waiter);
        clearTimeout(timer);
        res.off('close', leave);
        resolve(refusal);
      };
      const refuse = (): void => decide(new AppError('unavailable', 'Too much is in work. Try again.', { retryAfterSeconds: retryAfterSeconds() }));
      const leave = (): void => {
        refuse();
        // He may have been the one that all others waited for.
        moveUp();
      };
      const waiter = { res, bytes, decide };
      // By then the process may keep up again, with nobody inside who would let others in by going.
      const timer = setTimeout(() => {
        moveUp();
        if (line.has(waiter)) leave();
      }, waitMsMax);
      res.once('close', leave);
      line.add(waiter);
    });

  const hasRoom = (bytes: number): boolean => line.size === 0 && fits(bytes);

  return {
    hasRoom: (req, bodyBytesMax) => hasRoom(reservedBytes(req.headers, bodyBytesMax)),
    enter(req, res, bodyBytesMax) {
      // Its caller went while the key was looked up: nothing would give the room back.
      if (res.closed || reservations.has(res)) return null;
      const bytes = reservedBytes(req.headers, bodyBytesMax);
      if (!hasRoom(bytes)) return wait(res, bytes);
      reserve(res, bytes);
      return null;
    },
    shrink(res, bytes) {
      const reservation = reservations.get(res);
      if (reservation === undefined || reservation.holders === 0 || bytes >= reservation.bytes) return;
      const freed = reservation.bytes - bytes;
      reservation.bytes = bytes;
      changeBytes(-freed);
      moveUp();
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
  if (headers['content-encoding'] !== undefined || !Number.isSafeInteger(length)) return bodyBytesMax;
  // A body over the limit is refused by its length, before it is read.
  return Math.min(length, bodyBytesMax);
}
