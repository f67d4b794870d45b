/** A time is cut into so many slices. */
const SLICES = 5;

/**
 * Rejects when `work` is not done in so much time that the event loop had for it. A pause of this very process is not
 * silence of the other side, whose answer may lie unread in a socket: however long, it counts as one slice.
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
