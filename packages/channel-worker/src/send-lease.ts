import { onAbort, onDeadline, type Clock, type Timers } from '@tidings/platform';

/** After an abort, the time in which a channel must still report its result. */
const ABORT_GRACE_MS = 1_000;

/** Bounds the sends of a group that was marked together: its lease, and the end of the process. */
export type SendLease = {
  /** Aborts when the lease ends or the process must exit: what is still sent must stop. */
  readonly signal: AbortSignal;
  /** Rejects when the lease has ended, or `ABORT_GRACE_MS` after the process was asked to exit. */
  readonly overdue: Promise<never>;
  /** Call when the outcome of a send is stored. With the last one the lease is over. */
  end(): void;
};

type Bounds = {
  readonly clock: Clock & Timers;
  readonly sendLeaseMs: number;
  /** Aborts when the process must exit. */
  readonly giveUp: AbortSignal;
};

/** @param sends how many sends share the lease; without any it is over */
export function startSendLease({ clock, sendLeaseMs, giveUp }: Bounds, sends: number): SendLease {
  const over = new AbortController();
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  overdue.catch(() => undefined);
  const onLeaseEnd = (): void => {
    // The sends timed out: they must not leave later or keep a connection.
    over.abort(new Error('the send lease ended'));
    reject(new Error('the channel did not respond before the send lease ended'));
  };
  let callOff = onDeadline(sendLeaseMs, onLeaseEnd, clock);
  const onGiveUp = (): void => {
    callOff();
    over.abort(giveUp.reason);
    callOff = clock.after(ABORT_GRACE_MS, () =>
      reject(new Error('the channel did not stop the send at shutdown')),
    );
  };
  const stopListening = onAbort(giveUp, onGiveUp);
  let left = sends;
  const endOf = (ended: number): void => {
    left -= ended;
    if (left > 0) return;
    callOff();
    stopListening();
  };
  endOf(0);
  return { signal: over.signal, overdue, end: () => endOf(1) };
}
