import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAdmission } from '@tidings/http/admission';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  CLIENT_KEY,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type TestGateway,
} from '../../testing/test-gateway.ts';

const PAGE = 'https://shop.example';
const EXPOSED = [
  'x-request-id',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'preference-applied',
];
const listOf = (value: string | null): string[] =>
  (value ?? '').split(',').map((item) => item.trim().toLowerCase());

let gateway: TestGateway;
beforeAll(async () => {
  const findKeyGrant = async (_applicationId: string, key: string) => {
    if (key === CLIENT_KEY)
      return grantWith(APPLICATION_ID, 'client', {
        allowedOrigins: [PAGE, 'http://localhost:3000'],
      });
    if (key === 'ck_any') return grantWith(APPLICATION_ID, 'client');
    return key === 'sk_server'
      ? grantWith(APPLICATION_ID, 'server', { allowedOrigins: [PAGE] })
      : null;
  };
  gateway = await startTestGateway({
    findKeyGrant,
    rates: { ingest: { perSecond: 1, burst: 1_000 } },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe('a preflight', () => {
  test.each(['/', '/v1', '/v1/'])(
    'to %s is answered for any page, with what it may send',
    async (path) => {
      const answer = await fetch(gateway.url + path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://anywhere.example',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type,x-api-key',
        },
      });

      expect([answer.status, await answer.text()]).toEqual([204, '']);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(listOf(answer.headers.get('Access-Control-Allow-Methods'))).toEqual(['post']);
      expect(listOf(answer.headers.get('Access-Control-Allow-Headers')).toSorted()).toEqual([
        'content-encoding',
        'content-type',
        'prefer',
        'x-api-key',
        'x-application-id',
      ]);
      expect(Number(answer.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(600);
      expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
      expect([answer.headers.get('API-Version'), answer.headers.get('X-Request-Id')]).toEqual([
        '1',
        expect.any(String),
      ]);
    },
  );

  test.each(['/push', '/v1/push'])(
    'to %s is not answered: pages do not send campaigns',
    async (path) => {
      const answer = await fetch(gateway.url + path, {
        method: 'OPTIONS',
        headers: { Origin: PAGE, 'Access-Control-Request-Method': 'POST' },
      });

      expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([
        405,
        null,
      ]);
    },
  );
});

describe('an answer to a page', () => {
  test.each<[string, number, Record<string, string>, unknown]>([
    ['of a call that is accepted', 200, CLIENT_HEADERS, batchWith()],
    ['of a body that is not valid', 400, CLIENT_HEADERS, '{'],
    ['of a wrong key', 403, { ...CLIENT_HEADERS, 'X-API-Key': 'ck_wrong' }, batchWith()],
    [
      'of what a Client key may not send',
      403,
      CLIENT_HEADERS,
      batchWith({ type: 'businessEvent' }),
    ],
    ['of a body that is too large', 413, CLIENT_HEADERS, 'x'.repeat(2 * 1024 * 1024)],
    ['of another type', 415, { ...CLIENT_HEADERS, 'Content-Type': 'text/plain' }, 'x'],
  ])('%s can be read by it: %i', async (_what, status, headers, body) => {
    const answer = await gateway.post(body, { headers: { ...headers, Origin: PAGE } });

    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([
      status,
      '*',
    ]);
    expect(listOf(answer.headers.get('Access-Control-Expose-Headers'))).toEqual(
      expect.arrayContaining(EXPOSED),
    );
  });

  test('that comes too often, or at a bad time, can be read too', async () => {
    await using limited = await startTestGateway({ rates: { ingest: { perSecond: 1, burst: 1 } } });
    await using full = await startTestGateway({
      admissions: {
        ingest: createAdmission({ path: 'ingest', bytesMax: 1_000_000, requestsMax: 0 }),
      },
    });
    const headers = { ...CLIENT_HEADERS, Origin: PAGE };
    await limited.post(batchWith(), { headers });

    const answers = [
      await limited.post(batchWith(), { headers }),
      await full.post(batchWith(), { headers }),
    ];

    expect(
      answers.map((answer) => [answer.status, answer.headers.get('Access-Control-Allow-Origin')]),
    ).toEqual([
      [429, '*'],
      [503, '*'],
    ]);
  });

  test('is no different for a back end, which has no Origin', async () => {
    const answer = await gateway.post(batchWith());

    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    );
  });
});

describe('the origins of a Client key', () => {
  const send = (origin: string | undefined, key: string) =>
    gateway.post(batchWith(), {
      headers: {
        ...SERVER_HEADERS,
        'X-API-Key': key,
        ...(origin !== undefined && { Origin: origin }),
      },
    });

  test.each<[string, string, string | undefined, number]>([
    ['a page of the list', CLIENT_KEY, PAGE, 200],
    ['another page of the list', CLIENT_KEY, 'http://localhost:3000', 200],
    ['another page', CLIENT_KEY, 'https://evil.example', 403],
    ['another scheme', CLIENT_KEY, 'http://shop.example', 403],
    ['another port', CLIENT_KEY, 'https://shop.example:8443', 403],
    ['a longer host', CLIENT_KEY, 'https://shop.example.evil.example', 403],
    ['a page without an origin', CLIENT_KEY, 'null', 403],
    ['an application on a phone, which sends none', CLIENT_KEY, undefined, 200],
    ['a key without a list', 'ck_any', 'https://evil.example', 200],
    ['a Server key, which is not bound to pages', 'sk_server', 'https://evil.example', 200],
  ])('%s', async (_what, key, origin, status) => {
    const answer = await send(origin, key);

    expect([answer.status, answer.problem.code]).toEqual([
      status,
      status === 403 ? 'client_key_forbidden' : undefined,
    ]);
  });
});
