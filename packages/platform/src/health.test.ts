import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { startHealthServer } from './health-server.ts';
import type { HttpServer } from './http/listen.ts';
import { watchLoopLag } from './loop-lag.ts';

describe('health-server', () => {
  let server: HttpServer | undefined;
  afterEach(() => server?.close());

  async function statusesOf(state: {
    readonly isReady: boolean;
    readonly isAlive: boolean;
  }): Promise<Record<string, number>> {
    server = await startHealthServer(
      { isReady: () => state.isReady, isAlive: () => state.isAlive },
      { host: '127.0.0.1', port: 0 },
    );
    const statuses: Record<string, number> = {};
    for (const path of ['/healthz', '/readyz', '/metrics', '/', '/toString'])
      statuses[path] = (await fetch(server.url + path)).status;
    return statuses;
  }

  describe('health', () => {
    test.each([
      [
        { isReady: true, isAlive: true },
        { '/readyz': 200, '/healthz': 200 },
      ],
      [
        { isReady: false, isAlive: true },
        { '/readyz': 503, '/healthz': 200 },
      ],
      [
        { isReady: false, isAlive: false },
        { '/readyz': 503, '/healthz': 503 },
      ],
    ])('%j', async (state, expected) => {
      expect(await statusesOf(state)).toEqual({
        ...expected,
        '/metrics': 200,
        '/': 404,
        '/toString': 404,
      });
    });
  });
});

describe('loop-lag', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function createSubject() {
    let now = 0;
    const lag = watchLoopLag({ now: () => now, monotonicMs: () => now });
    /** Event-loop turns of the given lengths in milliseconds. */
    const turn = (...lengths: number[]): void => {
      for (const ms of lengths) {
        now += ms;
        jest.advanceTimersByTime(20);
      }
    };
    return { lag, turn };
  }

  test('a loop that keeps up is not late', () => {
    const { lag, turn } = createSubject();

    turn(20, 20, 20, 15);

    expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([0, 0, 0]);
  });

  test('a single pause is reported, but not as sustained load', () => {
    const { lag, turn } = createSubject();

    turn(20, 20, 1_020);

    expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([1_000, 0, 1_000]);
  });

  test('a load is what every turn is late by, until one is not', () => {
    const { lag, turn } = createSubject();

    turn(320, 520, 420);
    expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([400, 300, 1_200]);

    turn(20);
    expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([0, 0, 1_200]);
  });
});
