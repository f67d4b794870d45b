import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import type { HealthSignal } from './health-signal.ts';
import { createBreaker, type BreakerChange } from './breaker.ts';

const COOL_DOWN_MS = 30_000;

function createSubject({ random = 0 }: { readonly random?: number } = {}) {
  const clock = createFakeClock();
  const changes: BreakerChange[] = [];
  const breaker = createBreaker({
    clock,
    random: () => random,
    onChange: (change) => changes.push(change),
  });
  /** Asks for one send and reports the signal; false if none is allowed. */
  const send = (health: HealthSignal, retryAfterMs?: number): boolean => {
    const { sends, epoch } = breaker.allow(1);
    if (sends === 1) breaker.report(epoch, health, retryAfterMs);
    return sends === 1;
  };
  const fail = (times: number): void => {
    for (let time = 0; time < times; time += 1) send('failing');
  };
  return { clock, breaker, changes, send, fail };
}

describe('a breaker opens', () => {
  test('after ten failures in a row, and not after nine', () => {
    const { breaker, fail, send, changes } = createSubject();

    fail(9);
    expect(breaker.blockedForMs()).toBe(0);
    fail(1);

    expect(breaker.blockedForMs()).toBe(COOL_DOWN_MS);
    expect(send('works')).toBe(false);
    expect(changes).toEqual([{ state: 'open', cause: 'failures', probeInMs: COOL_DOWN_MS }]);
  });

  test('when seven of ten fail, in any order', () => {
    const { breaker, send } = createSubject();

    for (const health of [
      'failing',
      'failing',
      'works',
      'failing',
      'failing',
      'works',
      'failing',
      'failing',
      'works',
    ] as const)
      send(health);
    expect(breaker.blockedForMs()).toBe(0);
    send('failing');

    expect(breaker.blockedForMs()).toBe(COOL_DOWN_MS);
  });

  test('not when every second send fails, however long', () => {
    const { breaker, send } = createSubject();

    for (let round = 0; round < 200; round += 1) send(round % 2 === 0 ? 'failing' : 'works');

    expect(breaker.blockedForMs()).toBe(0);
  });

  test('not for failures of long ago', () => {
    const { clock, breaker, send, fail } = createSubject();

    for (let round = 0; round < 3; round += 1) {
      fail(6);
      send('works');
      clock.advance(5 * 60_000 + 1);
    }

    expect(breaker.blockedForMs()).toBe(0);
  });

  test('after three refusals for the rate in a row, for as long as the provider says, up to an hour', () => {
    for (const [retryAfterMs, heldMs] of [
      [undefined, 1_000],
      [7_000, 7_000],
      [10 * 3_600_000, 3_600_000],
    ] as const) {
      const { breaker, send } = createSubject();

      send('limited', retryAfterMs);
      send('limited', retryAfterMs);
      expect(breaker.blockedForMs()).toBe(0);
      send('limited', retryAfterMs);

      expect(breaker.blockedForMs()).toBe(heldMs);
    }
  });

  test('not when one in three is refused for the rate', () => {
    const { breaker, send } = createSubject();

    for (let round = 0; round < 300; round += 1) send(round % 3 === 0 ? 'works' : 'limited');

    expect(breaker.blockedForMs()).toBe(0);
  });

  /**
   * This many sends in flight, all reported before the next are acquired; rejections are reported
   * first.
   */
  const sendTogether = (
    { breaker }: ReturnType<typeof createSubject>,
    limited: number,
    sends: number,
  ): void => {
    const allowed = breaker.allow(sends);
    for (let index = 0; index < allowed.sends; index += 1)
      breaker.report(allowed.epoch, index < limited ? 'limited' : 'works');
  };

  test('not when four of eighteen at once are refused, which come back first', () => {
    const subject = createSubject();

    for (let round = 0; round < 100; round += 1) sendTogether(subject, 4, 18);

    expect(subject.changes).toEqual([]);
  });

  test('when all that are under way are refused, long before the last of many is answered', () => {
    const subject = createSubject();
    const { sends, epoch } = subject.breaker.allow(18);

    for (let told = 0; told < 8; told += 1) subject.breaker.report(epoch, 'limited');
    expect(subject.breaker.blockedForMs()).toBe(0);
    subject.breaker.report(epoch, 'limited');

    expect(sends).toBe(18);
    expect(subject.breaker.blockedForMs()).toBe(1_000);
  });

  test('also where each that comes back makes place for another', () => {
    const subject = createSubject();
    const { epoch } = subject.breaker.allow(18);

    for (let told = 0; told < 16; told += 1) {
      subject.breaker.report(epoch, 'limited');
      subject.breaker.allow(1);
    }
    expect(subject.breaker.blockedForMs()).toBe(0);
    subject.breaker.report(epoch, 'limited');

    expect(subject.breaker.blockedForMs()).toBe(1_000);
  });

  test('of a thousand under way when a hundred in a row are refused', () => {
    const subject = createSubject();
    const { epoch } = subject.breaker.allow(1_000);

    for (let told = 0; told < 99; told += 1) subject.breaker.report(epoch, 'limited');
    expect(subject.breaker.blockedForMs()).toBe(0);
    subject.breaker.report(epoch, 'limited');

    expect(subject.breaker.blockedForMs()).toBe(1_000);
  });

  test.each<HealthSignal>(['misconfigured', 'nothing'])(
    'not for what says %s of the provider',
    (health) => {
      const { breaker, send } = createSubject();

      for (let round = 0; round < 100; round += 1) send(health);

      expect(breaker.blockedForMs()).toBe(0);
    },
  );

  test('for somewhat longer than it must, so that not all workers come back together', () => {
    const { breaker, fail } = createSubject({ random: 0.5 });

    fail(10);

    expect(breaker.blockedForMs()).toBe(COOL_DOWN_MS * 1.05);
  });
});

describe('when its time is over', () => {
  const opened = () => {
    const subject = createSubject();
    subject.fail(10);
    subject.clock.advance(COOL_DOWN_MS);
    return subject;
  };

  test('one probe is allowed, for any number wanted, and no other before its result', () => {
    const { breaker } = opened();

    expect(breaker.blockedForMs()).toBe(0);
    const probe = breaker.allow(20);

    expect(probe.sends).toBe(1);
    expect(breaker.blockedForMs()).toBe(1_000);
    expect(breaker.allow(20).sends).toBe(0);
  });

  test('a probe that works closes it', () => {
    const { breaker, send, changes } = opened();

    expect(send('works')).toBe(true);

    expect(breaker.allow(20).sends).toBe(20);
    expect(changes.at(-1)).toEqual({ state: 'closed' });
  });

  test('a probe that fails opens it again, for twice as long each time, up to five minutes, until one works', () => {
    const { clock, breaker, send, fail } = opened();

    const waits: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      send('failing');
      waits.push(breaker.blockedForMs());
      clock.advance(breaker.blockedForMs());
    }
    send('works');
    fail(10);

    expect(waits).toEqual([60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
    expect(breaker.blockedForMs()).toBe(COOL_DOWN_MS);
  });

  test('an unused probe goes to the next send', () => {
    const { breaker } = opened();

    breaker.report(breaker.allow(1).epoch, 'nothing');

    expect(breaker.allow(5).sends).toBe(1);
  });
});

describe('sends that were begun before it opened', () => {
  test('do not keep it open for longer, nor count for the probe', () => {
    const { clock, breaker, changes } = createSubject();
    const { epoch } = breaker.allow(20);
    for (let sent = 0; sent < 10; sent += 1) breaker.report(epoch, 'failing');
    expect(breaker.blockedForMs()).toBe(COOL_DOWN_MS);

    clock.advance(COOL_DOWN_MS - 1);
    for (let sent = 0; sent < 5; sent += 1) breaker.report(epoch, 'failing');
    breaker.report(epoch, 'works');
    expect(breaker.blockedForMs()).toBe(1);
    clock.advance(1);
    const probe = breaker.allow(5);
    breaker.report(epoch, 'failing');

    expect(breaker.allow(5).sends).toBe(0);
    breaker.report(probe.epoch, 'works');
    expect(breaker.allow(5).sends).toBe(5);
    expect(changes.map(({ state }) => state)).toEqual(['open', 'closed']);
  });
});

test('a test send that works closes it, and changes nothing of one that is closed', () => {
  const { breaker, fail, changes } = createSubject();
  breaker.close();
  expect(changes).toEqual([]);
  fail(10);

  breaker.close();

  expect(breaker.blockedForMs()).toBe(0);
});
