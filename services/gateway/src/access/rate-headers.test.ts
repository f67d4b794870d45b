import { describe, expect, test } from '@jest/globals';
import {
  CLIENT_HEADERS,
  SERVER_HEADERS,
  batchWith,
  databaseThat,
  startTestGateway,
} from '../testing/test-gateway.ts';

const RATE = { perSecond: 3, burst: 40 };
const COMPRESSED = { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' };

/**
 * One response of every status that an authenticated request can get, in this order, from one
 * bucket per address and key type.
 */
const ANSWERS: readonly (readonly [
  status: number,
  path: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
])[] = [
  [200, '/', batchWith()],
  [400, '/', '{'],
  [400, '/', ''],
  [400, '/', batchWith({ time: 'x' })],
  [400, '/', 'not gzip', COMPRESSED],
  [403, '/', batchWith({ type: 'businessEvent' }), CLIENT_HEADERS],
  [413, '/', 'x'.repeat(1024 * 1024 + 1)],
  [415, '/', '{}', { ...SERVER_HEADERS, 'Content-Type': 'text/plain' }],
  [400, '/push', '{'],
  [400, '/push', {}],
  [403, '/push', {}, CLIENT_HEADERS],
  [413, '/push', 'x'.repeat(8 * 1024 * 1024 + 1)],
  [415, '/push', '{}', { ...SERVER_HEADERS, 'Content-Encoding': 'zstd' }],
  [503, '/push', { recipients: ['u1'], channel: 'SMS', message: { body: 'hello' } }],
];

describe('rate headers are whole numbers and decrease by one per request', () => {
  test('on every authenticated answer', async () => {
    await using gateway = await startTestGateway({
      rates: { ingest: RATE, ingestClient: RATE, push: RATE },
      db: databaseThat(() =>
        Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' })),
      ),
    });
    // Client keys are counted separately.
    const bucketOf = (path: string, headers: object): string =>
      path === '/' && headers === CLIENT_HEADERS ? 'client' : path;
    const remaining: Record<string, number> = {
      '/': RATE.burst,
      '/push': RATE.burst,
      client: RATE.burst,
    };

    for (const [status, path, body, headers = SERVER_HEADERS] of ANSWERS) {
      const answer = await gateway.post(body, { path, headers });

      // A forbidden key type is rejected before it is counted.
      if (!(status === 403 && path === '/push'))
        remaining[bucketOf(path, headers)] = (remaining[bucketOf(path, headers)] ?? 0) - 1;
      const told = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) =>
        answer.headers.get(name),
      );
      const left = remaining[bucketOf(path, headers)] ?? 0;
      expect([answer.status, ...told]).toEqual([
        status,
        String(RATE.burst),
        String(left),
        String(Math.ceil((RATE.burst - left) / RATE.perSecond)),
      ]);
    }
  });
});
