import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { Answer } from '@tidings/http/request-value';
import { createFakeClock } from '@tidings/testing';
import { createCredentialGuard, type PresentedCredential } from './credential-guard.ts';
import { createWrongKeys } from './wrong-keys.ts';

const ADDRESS = '192.0.2.1';
const APPLICATION_ID = 'app1';
/** Undelayed failures per address and minute. */
const FREE_MAX = 20;

/**
 * A guard over a store in which credentials that start with `right` are valid; it responds when
 * `answer` is called.
 */
function createSubject({ delayedMax = 1_000 } = {}) {
  const clock = createFakeClock();
  const guard = createCredentialGuard({
    wrongKeys: createWrongKeys({ clock, delayMs: 5, delayedMax }),
    clock,
    callerRateOf: () => undefined,
  });
  const waiting: (() => void)[] = [];
  const subject = {
    clock,
    lookUps: 0,
    isUnavailable: false,
    /** Starts a request; its result is the found value, or the code of the rejection. */
    find(text: string, { address = ADDRESS, ...more }: Partial<PresentedCredential> = {}) {
      const res = Object.assign(new EventEmitter(), { locals: {} });
      const lookUp = async (): Promise<{ readonly text: string } | null> => {
        subject.lookUps += 1;
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (subject.isUnavailable) throw new Error('the store is unavailable');
        return text.startsWith('right') ? { text } : null;
      };
      const found = guard.find(
        { kind: 'key', text, address, applicationId: APPLICATION_ID, ...more },
        res as unknown as Answer,
        lookUp,
      );
      return {
        res,
        result: found.then(
          (one) => one?.text ?? null,
          (error: Error & { readonly code?: string }) => error.code ?? error.message,
        ),
      };
    },
    /** Ends all look-ups, also those that start meanwhile. */
    async answer() {
      for (let turns = 0; turns < 10; turns += 1) {
        waiting.splice(0).forEach((resolve) => resolve());
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
  return subject;
}
type Subject = ReturnType<typeof createSubject>;

const results = (requests: readonly { readonly result: Promise<string | null> }[]) =>
  Promise.all(requests.map(({ result }) => result));
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Sends wrong credentials until the address has no undelayed failure left. */
async function spendFreeOnes(subject: Subject, address = ADDRESS): Promise<void> {
  const guesses = times(FREE_MAX, (index) => subject.find(`free ${index}`, { address }));
  await subject.answer();
  expect(await results(guesses)).toEqual(Array(FREE_MAX).fill(null));
}

describe('requests with one unknown credential', () => {
  test('take one permit and wait for one look-up, and all are admitted', async () => {
    const subject = createSubject();
    const requests = times(50, () => subject.find('right'));
    await turn();
    expect(subject.lookUps).toBe(1);

    await subject.answer();

    expect(await results(requests)).toEqual(Array(50).fill('right'));
  });

  test('are looked up again each, so that a credential that ended meanwhile is rejected', async () => {
    const subject = createSubject();
    const requests = times(3, () => subject.find('right'));

    await subject.answer();

    await results(requests);
    expect(subject.lookUps).toBe(3);
  });

  test('that is wrong cost one look-up', async () => {
    const subject = createSubject();
    const requests = times(10, () => subject.find('wrong'));

    await subject.answer();

    expect(await results(requests)).toEqual(Array(10).fill(null));
    expect(subject.lookUps).toBe(1);
  });

  test('fail together with the store, and the next one looks up again', async () => {
    const subject = createSubject();
    subject.isUnavailable = true;
    const requests = times(3, () => subject.find('right'));
    await subject.answer();
    expect(await results(requests)).toEqual(Array(3).fill('the store is unavailable'));
    subject.isUnavailable = false;

    const next = subject.find('right');
    await subject.answer();

    expect([await next.result, subject.lookUps]).toEqual(['right', 2]);
  });
});

describe('the unknown credentials of one address', () => {
  test('that sent no wrong one are looked up 100 at a time', async () => {
    const subject = createSubject();
    const requests = times(101, (index) => subject.find(`right ${index}`));
    await turn();

    await subject.answer();

    expect((await results(requests)).filter((result) => result === 'rate_limited')).toHaveLength(1);
    expect(subject.lookUps).toBe(100);
  });

  test('that sent too many wrong ones are looked up four at a time', async () => {
    const subject = createSubject();
    await spendFreeOnes(subject);

    times(10, (index) => subject.find(`guess ${index}`));
    await subject.answer();

    expect(subject.lookUps).toBe(FREE_MAX + 4);
  });
});

describe('a guess from an address that sent too many wrong ones keeps its place for a second', () => {
  /**
   * Sends one wrong credential per permit every 50 ms for three seconds and handles each request.
   * Returns the number of look-ups.
   */
  async function guessFor3Seconds(
    subject: Subject,
    handle: (request: ReturnType<Subject['find']>) => void,
  ): Promise<number> {
    await spendFreeOnes(subject);
    const before = subject.lookUps;
    for (let ms = 0; ms < 3_000; ms += 50) {
      const requests = times(4, (index) => subject.find(`guess ${ms} ${index}`));
      await subject.answer();
      requests.forEach(handle);
      await turn();
      subject.clock.advance(50);
    }
    return subject.lookUps - before;
  }

  test('whether or not its caller hangs up', async () => {
    expect(await guessFor3Seconds(createSubject(), () => undefined)).toBe(12);
    expect(await guessFor3Seconds(createSubject(), ({ res }) => res.emit('close'))).toBe(12);
  });

  test('also where as many answers wait as may', async () => {
    expect(await guessFor3Seconds(createSubject({ delayedMax: 0 }), () => undefined)).toBe(12);
  });

  test('and those of other addresses have places of their own', async () => {
    const subject = createSubject();
    await spendFreeOnes(subject);
    times(4, (index) => subject.find(`guess ${index}`));
    await subject.answer();

    const other = subject.find('right', { address: '192.0.2.2' });
    await subject.answer();

    expect(await other.result).toBe('right');
  });
});
