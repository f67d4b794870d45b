import { describe, expect, test } from '@jest/globals';
import { ApiError, ConnectionError } from './problem.ts';
import { isBusy, readRetryAfter, retriesQuestion, retriesRead, retryDelayMs } from './retries.ts';

const failed = (status: number, retryAfterMs: number | null = null) =>
  new ApiError(
    { type: 'about:blank', title: 'x', status, code: 'unavailable', requestId: '' },
    retryAfterMs,
  );
const noConnection = new ConnectionError(null);

describe('what the dashboard repeats', () => {
  test.each([
    ['no connection', noConnection, true, false],
    ['503 that says when', failed(503, 5_000), true, true],
    ['429 that says when', failed(429, 1_000), true, true],
    ['503 of a proxy', failed(503), true, false],
    ['404', failed(404), false, false],
    ['a fault of the page', new TypeError('x'), false, false],
  ])('%s', (_what, error, read, question) => {
    expect([retriesRead(0, error), retriesQuestion(0, error)]).toEqual([read, question]);
    expect([retriesRead(2, error), retriesQuestion(1, error)]).toEqual([false, false]);
  });

  test('it waits as long as the service says, and at most ten seconds', () => {
    expect(retryDelayMs(0, failed(429, 1_000))).toBe(1_000);
    expect(retryDelayMs(0, failed(503, 60_000))).toBe(10_000);
    expect(retryDelayMs(0, noConnection)).toBe(1_000);
    expect(retryDelayMs(1, noConnection)).toBe(2_000);
  });

  test.each([
    ['5', 5_000],
    ['0', 0],
    [null, null],
    ['Wed, 21 Oct 2026 07:28:00 GMT', null],
    ['-1', null],
  ])('Retry-After %s is %s ms', (header, ms) => {
    expect(readRetryAfter(header)).toBe(ms);
  });

  test('only 429 and 503 are busy', () => {
    expect([429, 503, 500, 400].map((status) => isBusy(failed(status)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
