import { setTimeout as delay } from 'node:timers/promises';
import { createCallers, type Caller } from './caller.ts';
import { NO_ANSWER } from './connection.ts';
import type { Arrival, Target } from './plan.ts';
import type { Tally, Window } from './tally.ts';

/** Avoids a busy loop against a server that refuses connections. */
const PAUSE_AFTER_FAILURE_MS = 20;

/**
 * Each connection sends its next request when it has a response, until the window ends or all
 * requests are sent.
 */
export async function runClosedLoop(
  target: Target,
  { connections, requestsMax = Infinity }: Extract<Arrival, { type: 'closed' }>,
  { window, tally }: { readonly window: Window; readonly tally: Tally },
): Promise<void> {
  const newCaller = createCallers(target);
  let sequence = 0;
  const work = async (): Promise<void> => {
    const caller = newCaller();
    while (sequence < requestsMax && performance.now() < window.endsAt) {
      const sentAt = performance.now();
      const status = await callOnce(caller, sequence++);
      tally.answered(sentAt, status);
      if (status === NO_ANSWER) await delay(PAUSE_AFTER_FAILURE_MS);
    }
    caller.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

function callOnce(caller: Caller, sequence: number): Promise<number> {
  return new Promise((resolve) => {
    caller.call(sequence, resolve);
  });
}
