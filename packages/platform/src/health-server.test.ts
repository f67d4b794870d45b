import { afterEach, describe, expect, test } from '@jest/globals';
import { startHealthServer } from './health-server.ts';
import type { HttpServer } from './http/listen.ts';

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
