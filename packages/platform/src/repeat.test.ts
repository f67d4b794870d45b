import { describe, expect, test } from '@jest/globals';
import { createWakeUp, repeat } from './repeat.ts';

describe('repeat', () => {
  test('calls one at a time until the abort and resolves after the last call has ended', async () => {
    const abort = new AbortController();
    const log: string[] = [];

    await repeat(
      0,
      async () => {
        log.push('start');
        if (log.length === 5) abort.abort();
        await Promise.resolve();
        log.push('end');
      },
      { signal: abort.signal, onError: () => undefined },
    );

    expect(log).toEqual(['start', 'end', 'start', 'end', 'start', 'end']);
  });

  test('an error is reported and the loop continues; an error after the abort is not reported', async () => {
    const abort = new AbortController();
    const errors: unknown[] = [];
    let calls = 0;

    await repeat(
      0,
      async () => {
        calls += 1;
        if (calls === 3) abort.abort();
        throw new Error(`failure ${calls}`);
      },
      { signal: abort.signal, onError: (error) => errors.push((error as Error).message) },
    );

    expect(errors).toEqual(['failure 1', 'failure 2']);
  });

  test('an abort ends the wait between two calls', async () => {
    const abort = new AbortController();

    await repeat(3_600_000, async () => void setImmediate(() => abort.abort()), {
      signal: abort.signal,
      onError: () => undefined,
    });

    expect(abort.signal.aborted).toBe(true);
  });
});

describe('a wake-up', () => {
  const unending = new AbortController().signal;

  test('ends every wait under way, and none that comes later', async () => {
    const wakeUp = createWakeUp();
    const waits = [wakeUp.wait(60_000, unending), wakeUp.wait(60_000, unending)];

    wakeUp.notify();
    await Promise.all(waits);

    const later = wakeUp.wait(5, unending).then(() => 'later');
    expect(await Promise.race([later, Promise.resolve('still')])).toBe('still');
    expect(await later).toBe('later');
  });

  test('without a current wait ends the next wait at once, so it is not missed', async () => {
    const wakeUp = createWakeUp();
    wakeUp.notify();
    wakeUp.notify();

    await wakeUp.wait(60_000, unending);

    const later = wakeUp.wait(5, unending).then(() => 'later');
    expect(await Promise.race([later, Promise.resolve('still')])).toBe('still');
    await later;
  });
});
