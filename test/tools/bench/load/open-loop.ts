import { setTimeout as delay } from 'node:timers/promises';
import { callersOf, type Caller } from './caller.ts';
import type { Arrival, Target } from './plan.ts';
import type { Tally, Window } from './tally.ts';

/** As fine as timers are; what was due meanwhile goes out together, each timed from its own moment. */
const TICK_MS = 1;
/** A request that waits longer than this for a connection has been given up by its caller. */
const WAIT_MAX_MS = 10_000;

/**
 * Sends at a constant rate from `startAt` on, whatever the answers are. Every latency counts from the moment the request
 * was due, so a server that stalls, or a generator that is late, shows in the figures instead of hiding in fewer requests.
 */
export async function runOpenLoop(
  target: Target,
  { requestsPerSecond, connectionsMax }: Extract<Arrival, { type: 'open' }>,
  {
    startAt,
    window,
    tally,
  }: { readonly startAt: number; readonly window: Window; readonly tally: Tally },
): Promise<void> {
  const newCaller = callersOf(target);
  const idle: Caller[] = [];
  const waiting = createWaitingLine();
  let callers = 0;
  let busy = 0;
  let sequence = 0;

  const send = (caller: Caller, dueAt: number): void => {
    caller.call(sequence++, (status) => {
      tally.answered(dueAt, status);
      const next = waiting.take(tally);
      if (next !== undefined) {
        // Not at once: a connection that fails would call back from here, without end.
        setImmediate(() => send(caller, next));
        return;
      }
      busy -= 1;
      idle.push(caller);
    });
  };
  const newIfAllowed = (): Caller | undefined => {
    if (callers >= connectionsMax) return undefined;
    callers += 1;
    return newCaller();
  };
  const arrive = (dueAt: number): void => {
    // The one used last, so that those no longer needed fall idle and end.
    const caller = idle.pop() ?? newIfAllowed();
    if (caller === undefined) {
      waiting.add(dueAt);
      return;
    }
    busy += 1;
    send(caller, dueAt);
  };

  const dueAtOf = (index: number): number => startAt + (index * 1000) / requestsPerSecond;
  for (let index = 0; dueAtOf(index) < window.endsAt;) {
    for (
      const now = performance.now();
      dueAtOf(index) <= now && dueAtOf(index) < window.endsAt;
      index += 1
    )
      arrive(dueAtOf(index));
    await delay(TICK_MS);
  }
  // Whoever is busy takes from the waiting line until it is empty.
  while (busy > 0) await delay(TICK_MS);
  for (const caller of idle) caller.close();
}

/** Requests that are due and have no connection, oldest first. */
function createWaitingLine() {
  let dueAts: number[] = [];
  let first = 0;
  return {
    add: (dueAt: number) => {
      dueAts.push(dueAt);
    },
    /** The oldest that is still worth sending; the others are counted as unsent. */
    take(tally: Tally): number | undefined {
      while (first < dueAts.length) {
        const dueAt = dueAts[first] ?? 0;
        first += 1;
        if (performance.now() - dueAt < WAIT_MAX_MS) return dueAt;
        tally.unsent(dueAt);
      }
      dueAts = [];
      first = 0;
      return undefined;
    },
  };
}
