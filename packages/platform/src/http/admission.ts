import { AppError } from '../app-error.ts';
import type { LoopLag } from '../loop-lag.ts';
import { Gauge } from '../metrics.ts';
import { retryAfterSeconds } from '../retry.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const pendingBytes = new Gauge({ name: 'tidings_pending_bytes', help: 'Body bytes of requests in work.' });

/**
 * Bounds the memory of requests in work, and how long they wait: for Kafka there is a deadline, but when the process itself
 * cannot keep up, every request taken in makes all others later. It decides before a body is read, by the size the body may have.
 */
export interface Admission {
  /** Null when the body would fit, else the 503 with `Retry-After`; a body of unknown size counts as the largest. */
  refusalOf(req: IncomingMessage, bodyBytesMax: number): AppError | null;
  /** Takes the room of a request, in the same turn in which there was some, until it is answered. */
  admit(req: IncomingMessage, res: ServerResponse, bodyBytesMax: number): void;
  /**
   * Before a 503 of `refusalOf` is sent. Callers who are refused at once come back at once, and to refuse them all the time
   * would take what those inside need; who waits for his answer keeps nothing but his connection.
   */
  holdBack(): Promise<void>;
  /** The body has been read and has `bytes`, decompressed: the rest of its room is free. */
  shrink(res: ServerResponse, bytes: number): void;
  /** Keeps the room of an admitted request until `work` ends: a caller who goes away does not end the work. */
  hold<T>(res: ServerResponse, work: Promise<T>): Promise<T>;
}

/** The room of one request; it is free when nobody holds it any more. */
type Reservation = { bytes: number; holders: number };

export type AdmissionOptions = {
  readonly bytesMax: number;
  readonly requestsMax: number;
  /** How late every turn of the event loop is, and how late it may be. */
  readonly lag?: Pick<LoopLag, 'sustainedMs'>;
  readonly lagMsMax?: number;
  readonly holdBackMs?: number;
};

export function createAdmission({ bytesMax, requestsMax, lag, lagMsMax = Infinity, holdBackMs = 0 }: AdmissionOptions): Admission {
  const pending = { bytes: 0, requests: 0 };
  const reservations = new WeakMap<ServerResponse, Reservation>();

  const reserve = (bytes: number): Reservation => {
    pending.bytes += bytes;
    pending.requests += 1;
    pendingBytes.set(pending.bytes);
    return { bytes, holders: 1 };
  };
  const release = (reservation: Reservation): void => {
    reservation.holders -= 1;
    if (reservation.holders > 0) return;
    pending.bytes -= reservation.bytes;
    pending.requests -= 1;
    pendingBytes.set(pending.bytes);
  };

  return {
    refusalOf(req, bodyBytesMax) {
      const bytes = reservedBytes(req.headers, bodyBytesMax);
      const isLate = lag !== undefined && lag.sustainedMs() > lagMsMax;
      if (isLate || pending.requests >= requestsMax || pending.bytes + bytes > bytesMax) {
        return new AppError('unavailable', 'Too much is in work. Try again.', { retryAfterSeconds: retryAfterSeconds() });
      }
      return null;
    },
    admit(req, res, bodyBytesMax) {
      // Its caller went while the key was looked up: nothing would give the room back.
      if (res.closed) return;
      const reservation = reserve(reservedBytes(req.headers, bodyBytesMax));
      reservations.set(res, reservation);
      res.once('close', () => release(reservation));
    },
    holdBack: () => delay(holdBackMs),
    shrink(res, bytes) {
      const reservation = reservations.get(res);
      if (reservation === undefined || reservation.holders === 0 || bytes >= reservation.bytes) return;
      pending.bytes -= reservation.bytes - bytes;
      reservation.bytes = bytes;
      pendingBytes.set(pending.bytes);
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
