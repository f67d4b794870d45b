import { expect, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import { createSendSlots } from '../send-slots.ts';
import { createAccount } from './account.ts';
import { createBreaker } from './breaker.ts';
import type { Pace } from './pace.ts';

test('places that get no token are no sends under way to the breaker', async () => {
  const clock = createFakeClock();
  const breaker = createBreaker({ clock });
  const slots = createSendSlots(8, clock);
  const account = createAccount({
    channel: 'SMS',
    applicationId: 'a1',
    version: 1,
    breaker,
    slots,
    clock,
  });
  const oneAtATime: Pace = { take: () => Promise.resolve(1), waitMs: () => 0, queue: () => [] };
  const options = {
    lane: 'express',
    pace: oneAtATime,
    isTest: false,
    timeoutMs: 1_000,
    signal: new AbortController().signal,
  } as const;

  for (let send = 0; send < 3; send += 1) {
    const admission = await account.admit(8, options);
    if (!('ticket' in admission)) throw new Error('there is no leave');
    expect(admission.places).toBe(1);
    admission.ticket.observe({ status: 'rate_limited' });
    admission.ticket.leave();
  }

  // Three refusals in a row, and nothing else was sent.
  expect(account.heldUpMs()).toBeGreaterThan(0);
});
