import { setTimeout as delay } from 'node:timers/promises';
import { createCallers, type Caller } from './caller.ts';
import type { Arrival, Target } from './plan.ts';
import type { Tally, Window } from './tally.ts';

/**
 * Resolution of timers. Requests due since the last tick are sent together, each timed from its own
 * due time.
 */
const TICK_MS = 1;
/** A request that waits longer for a connection is abandoned. */
const WAIT_MAX_MS = 10_000;

/**
 * Sends at a constant rate from `startAt`, independent of responses. Latency counts from the due
 * time of a request, so that a stalled server or a late generator appears in the figures (no
 * coordinated omission).
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
  const newCaller = createCallers(target);
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
        // Deferred, since a failing connection would recurse without end.
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
    // Uses the last returned connection, so that unneeded ones fall idle and close.
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
  // Busy callers take requests from the queue until it is empty.
  while (busy > 0) await delay(TICK_MS);
  for (const caller of idle) caller.close();
}

/** Due requests without a connection, oldest first. */
function createWaitingLine() {
  let dueAts: number[] = [];
  let first = 0;
  return {
    add: (dueAt: number) => {
      dueAts.push(dueAt);
    },
    /** The oldest request that has not timed out; counts the others as unsent. */
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
