/** Number of slices of a timeout. */
const SLICES = 5;

/**
 * Rejects if `work` takes longer than `timeoutMs` of running event-loop time. A pause of this
 * process is not silence of the peer, whose response may wait unread in the socket: a pause of any
 * length counts as one slice.
 */
export function withinLoopTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let slices = 0;
    const timer = setInterval(() => {
      slices += 1;
      if (slices < SLICES) return;
      clearInterval(timer);
      reject(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs / SLICES);
    work.then(resolve, reject).finally(() => clearInterval(timer));
  });
}
