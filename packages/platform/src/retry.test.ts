import { describe, expect, test } from '@jest/globals';
import { backoffMs, retry } from './retry.ts';

const AT_ONCE = { attemptsMax: 3, baseMs: 0, capMs: 0 };

describe('backoffMs', () => {
  test('is a random part of base · 2^attempt, and never more than the cap', () => {
    const schedule = { baseMs: 100, capMs: 1_000 };
    const almostOne = () => 0.999_999;

    expect(
      [0, 1, 2, 3, 4, 1_000].map((attempt) => backoffMs(schedule, attempt, almostOne)),
    ).toEqual([99, 199, 399, 799, 999, 999]);
    expect(backoffMs(schedule, 3, () => 0)).toBe(0);
    expect(backoffMs(schedule, 3, () => 0.5)).toBe(400);
  });
});

describe('retry', () => {
  test('tries until the action succeeds, and passes it the attempt number', async () => {
    const attempts: number[] = [];

    const result = await retry(AT_ONCE, async (attempt) => {
      attempts.push(attempt);
      if (attempt < 2) throw new Error('not yet');
      return 'done';
    });

    expect(result).toBe('done');
    expect(attempts).toEqual([0, 1, 2]);
  });

  test('the last error is thrown when the schedule ends', async () => {
    await expect(
      retry(AT_ONCE, async (attempt) => Promise.reject(new Error(`failure ${attempt}`))),
    ).rejects.toThrow('failure 2');
  });

  test('an error not worth another try is thrown at once', async () => {
    let calls = 0;
    const action = async () => {
      calls += 1;
      throw new Error('permanent');
    };

    await expect(retry(AT_ONCE, action, { isRetryable: () => false })).rejects.toThrow('permanent');
    expect(calls).toBe(1);
  });

  test('an abort before the first try and one while waiting are thrown as their own reason', async () => {
    const reason = new Error('shutting down');
    const abort = new AbortController();
    const waiting = retry(
      { attemptsMax: 2, baseMs: 3_600_000, capMs: 3_600_000 },
      async () => {
        setImmediate(() => abort.abort(reason));
        throw new Error('failed');
      },
      { signal: abort.signal },
    );

    await expect(waiting).rejects.toBe(reason);
    await expect(retry(AT_ONCE, async () => 'never', { signal: abort.signal })).rejects.toBe(
      reason,
    );
  });
});
