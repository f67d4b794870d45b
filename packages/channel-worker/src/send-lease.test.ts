import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { startSendLease } from './send-lease.ts';

const LEASE_MS = 120_000;

function start(sends: number) {
  const clock = createFakeClock();
  const exit = new AbortController();
  const lease = startSendLease({ clock, sendLeaseMs: LEASE_MS, giveUp: exit.signal }, sends);
  let error: string | null = null;
  lease.overdue.catch((cause: Error) => {
    error = cause.message;
  });
  const advance = async (ms: number) => {
    clock.advance(ms);
    await turnOfTheLoop();
    await turnOfTheLoop();
  };
  return { lease, exit, advance, error: () => error };
}

describe('the lease of a group', () => {
  test('ends all its sends when it is over', async () => {
    const { lease, advance, error } = start(2);
    lease.end();
    await advance(LEASE_MS - 1);
    expect([lease.signal.aborted, error()]).toEqual([false, null]);
    await advance(1);

    expect(lease.signal.aborted).toBe(true);
    expect(error()).toBe('the channel did not respond before the send lease ended');
  });

  test('a process that must exit gives them a second to report', async () => {
    const { lease, exit, advance, error } = start(2);
    exit.abort(new Error('the process is shutting down'));
    expect(lease.signal.reason).toEqual(new Error('the process is shutting down'));
    await advance(999);
    expect(error()).toBeNull();
    await advance(1);

    expect(error()).toBe('the channel did not stop the send at shutdown');
  });

  test.each([0, 1, 3])('of %i sends, it is over with the last one', async (sends) => {
    const { lease, exit, advance, error } = start(sends);
    for (let ended = 0; ended < sends; ended += 1) lease.end();
    exit.abort();
    await advance(LEASE_MS + 1_000);

    expect([lease.signal.aborted, error()]).toEqual([false, null]);
  });
});
