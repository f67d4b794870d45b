import { systemClock, type Timers } from './clock.ts';

/**
 * Calls `work` once after `ms` milliseconds, when everything that has arrived by then was read. The
 * returned function cancels it.
 *
 * For the deadline of a reply. After the event loop was blocked or the process frozen, timers fire
 * before sockets are read: with a plain timer, a reply that has long been there counts as missing.
 */
export function onDeadline(ms: number, work: () => void, timers: Timers = systemClock): () => void {
  let reading: NodeJS.Immediate | undefined;
  const callOff = timers.after(ms, () => {
    // Runs after the event loop has polled once.
    reading = setImmediate(work);
  });
  return () => {
    callOff();
    clearImmediate(reading);
  };
}
