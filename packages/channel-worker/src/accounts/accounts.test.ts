import { describe, expect, test } from '@jest/globals';
import { createInProcessCoordination } from '@tidings/coordination';
import { createFakeClock } from '@tidings/testing';
import { createSendSlots } from '../send-slots.ts';
import { createAccount } from './accounts.ts';
import { createBreaker } from './breaker.ts';
import { createSendRateLimiters, type SendRateLimiter } from './send-rate-limiter.ts';
import { createRejectedAddresses } from './rejected-addresses.ts';

describe('account', () => {
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
    const oneAtATime: SendRateLimiter = {
      take: () => Promise.resolve(1),
      waitMs: () => 0,
      queue: () => [],
    };
    const options = {
      lane: 'express',
      rateLimiter: oneAtATime,
      isTest: false,
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    } as const;

    for (let send = 0; send < 3; send += 1) {
      const decision = await account.allowSends(8, options);
      if (!('ticket' in decision)) throw new Error('no send is allowed');
      expect(decision.slots).toBe(1);
      decision.ticket.observe({ status: 'rate_limited' });
      decision.ticket.release();
    }

    // Three refusals in a row, and nothing else was sent.
    expect(account.blockedForMs()).toBeGreaterThan(0);
  });
});

describe('rateLimiter', () => {
  function createSubject({ perSecond = 0 } = {}) {
    const clock = createFakeClock();
    const limiter = createInProcessCoordination({ clock }).rateLimiters({ replicas: 1 })(
      'send-test',
    );
    const paces = createSendRateLimiters({ limiter, clock, perSecond });
    const paceOf = (settings: Readonly<Record<string, unknown>> = {}, applicationId = 'app1') => {
      const rateLimiter = paces.of(applicationId, settings);
      if (rateLimiter === null) throw new Error('nothing limits it');
      return rateLimiter;
    };
    return { clock, paces, paceOf };
  }

  describe('a rateLimiter', () => {
    test('is there where the settings or the operator say so', () => {
      expect(createSubject().paces.of('app1', {})).toBeNull();
      expect(createSubject({ perSecond: 5 }).paces.of('app1', {})).not.toBeNull();
      for (const nothing of [0, -1, '5', null])
        expect(createSubject().paces.of('app1', { ratePerSecond: nothing })).toBeNull();
    });

    test('gives what a second has at once, then what comes back', async () => {
      const { clock, paceOf } = createSubject();
      const rateLimiter = paceOf({ ratePerSecond: 10 });

      expect(await rateLimiter.take(25)).toBe(10);
      clock.advance(500);
      expect(await rateLimiter.take(25)).toBe(5);
      clock.advance(60_000);
      expect(await rateLimiter.take(25)).toBe(10);
    });

    test('below one a second has one at a time', async () => {
      const { clock, paceOf } = createSubject({ perSecond: 100 });
      const rateLimiter = paceOf({ ratePerSecond: 0.5 });

      expect(await rateLimiter.take(5)).toBe(1);
      clock.advance(1_999);
      expect(await rateLimiter.take(5)).toBe(0);
      clock.advance(1);
      expect(await rateLimiter.take(5)).toBe(1);
    });

    test('is one for each application', async () => {
      const { paceOf } = createSubject({ perSecond: 2 });

      expect(await paceOf({}, 'app1').take(5)).toBe(2);
      expect(await paceOf({}, 'app2').take(5)).toBe(2);
    });
  });

  describe('what gets no token', () => {
    test('waits where it is only when all of it has its turn soon', () => {
      const { paceOf } = createSubject();

      expect(paceOf({ ratePerSecond: 100 }).waitMs(40)).toBe(20);
      expect(paceOf({ ratePerSecond: 10 }).waitMs(20)).toBe(100);
      expect(paceOf({ ratePerSecond: 10 }).waitMs(21)).toBeNull();
      expect(paceOf({ ratePerSecond: 0.1 }).waitMs(1)).toBeNull();
    });

    test('gets places in one queue of its application, one after another, that move up with time', () => {
      const { clock, paceOf } = createSubject({ perSecond: 10 });

      expect(paceOf().queue(3)).toEqual([100, 200, 300]);
      expect(paceOf().queue(2)).toEqual([400, 500]);
      expect(paceOf({}, 'app2').queue(1)).toEqual([100]);
      clock.advance(450);
      expect(paceOf().queue(1)).toEqual([150]);
      clock.advance(60_000);
      expect(paceOf().queue(1)).toEqual([100]);
    });

    test('rows beyond the end of the queue are checked again by then, and not all at once', () => {
      const { paceOf } = createSubject({ perSecond: 1 });
      const rateLimiter = paceOf();

      rateLimiter.queue(600);
      const behind = rateLimiter.queue(100);

      expect(Math.min(...behind)).toBe(600_000);
      expect(Math.max(...behind)).toBeLessThan(660_000);
      expect(new Set(behind).size).toBe(100);
    });
  });
});

describe('refused-addresses', () => {
  /** After these responses, one per address: `r` rejected, `t` accepted. */
  function verdictAfter(answers: string): string {
    const refused = createRejectedAddresses();
    for (const [at, answer] of answers.split('').entries())
      refused.record('account', { address: `address-${at}`, isRejected: answer === 'r' });
    return refused.causeOf('account');
  }

  test.each([
    ['r', 'undecided'],
    ['rrrr', 'undecided'],
    ['rrrrr', 'account'],
    ['tr', 'address'],
    ['trr', 'undecided'],
    ['ttrrr', 'account'],
    ['tttrrr', 'address'],
    [`${'t'.repeat(19)}r`, 'address'],
    // Only the last twenty count.
    [`${'t'.repeat(20)}${'r'.repeat(11)}`, 'account'],
  ])('after %s a refusal is of the: %s', (answers, verdict) => {
    expect(verdictAfter(answers)).toBe(verdict);
  });

  /**
   * The same letters for the named addresses; expects the cause of an unexplained rejection of `a`.
   */
  function wordlessVerdictAfter(answers: string): string {
    const refused = createRejectedAddresses();
    for (const [address = '', answer] of answers.split(' ').filter(Boolean))
      refused.record('account', { address, isRejected: answer === 'r' });
    return refused.causeOfUnexplained('account', 'a');
  }

  describe('without a word, a refusal is of one address', () => {
    test.each([
      ['that alone is refused, and again after another was taken', 'ar bt ar', 'address'],
      ['only when it is refused', 'at bt ct', 'undecided'],
      [
        'never by its first rejection, regardless of earlier accepted messages',
        'bt ct dt et ft gt ar',
        'undecided',
      ],
      ['not while nothing is taken since', 'bt ct dt ar ar ar', 'undecided'],
      ['not while another is refused too', 'bt cr ar bt dt et ar', 'undecided'],
      ['that began anew when it was taken', 'ar bt at ar', 'undecided'],
      ['of an account that is refused, of none', 'ar br cr dr et', 'account'],
    ])('%s', (_name, answers, verdict) => {
      expect(wordlessVerdictAfter(answers)).toBe(verdict);
    });

    test('of an account that worked until its key was changed, none is removed', () => {
      const refused = createRejectedAddresses();
      const verdicts: string[] = [];
      for (let at = 0; at < 20; at += 1)
        refused.record('account', { address: `address-${at}`, isRejected: false });

      for (let at = 0; at < 40; at += 1) {
        const address = `address-${at % 20}`;
        refused.record('account', { address, isRejected: true });
        verdicts.push(refused.causeOfUnexplained('account', address));
      }

      expect(new Set(verdicts)).toEqual(new Set(['undecided', 'account']));
      expect(verdicts.indexOf('account')).toBe(10);
    });
  });

  test('one address that is refused again and again says nothing of its account', () => {
    const refused = createRejectedAddresses();

    for (let attempt = 0; attempt < 10; attempt += 1)
      refused.record('account', { address: 'one', isRejected: true });

    expect(refused.causeOf('account')).toBe('undecided');
  });

  test('accounts do not speak for each other', () => {
    const refused = createRejectedAddresses();
    for (let at = 0; at < 10; at += 1)
      refused.record('one', { address: String(at), isRejected: true });
    refused.record('other', { address: 'a', isRejected: false });
    refused.record('other', { address: 'b', isRejected: true });

    expect([refused.causeOf('one'), refused.causeOf('other')]).toEqual(['account', 'address']);
  });
});
