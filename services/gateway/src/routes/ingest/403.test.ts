import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createWrongKeys } from '@tidings/access';
import { openRawConnection } from '@tidings/platform/testing';
import { createFakeClock } from '@tidings/testing';
import { describeCorpus } from '../../testing/corpus.ts';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_HEADERS,
  SERVER_KEY,
  batchWith,
  grantWith,
  startTestGateway,
  stopAfterRejections,
  type TestGateway,
  type TestGatewayOptions,
} from '../../testing/test-gateway.ts';
import {
  APPLICATION,
  KEY,
  LENGTH,
  WRONG_KEY,
  toBytes,
  expectRejected,
  expectWireProblem,
  send,
  withHeaders,
  type Wire,
} from '../../testing/wire.ts';

/**
 * Each row is one guarantee: these credentials are wrong. The store treats a revoked key as
 * unknown.
 */
const WRONG_CREDENTIALS: readonly (readonly [string, Wire])[] = [
  ['no headers', withHeaders()],
  ['no key', withHeaders(APPLICATION)],
  ['no application', withHeaders(KEY)],
  ['an empty key', withHeaders(APPLICATION, 'X-API-Key:')],
  ['a wrong key', withHeaders(APPLICATION, WRONG_KEY)],
  ['a wrong Client key', withHeaders(APPLICATION, 'X-API-Key: ck_wrong')],
  ['a revoked key', withHeaders(APPLICATION, 'X-API-Key: sk_revoked')],
  ['a key in another case', withHeaders(APPLICATION, `X-API-Key: ${SERVER_KEY.toUpperCase()}`)],
  ['the key of another application', withHeaders(APPLICATION, `X-API-Key: ${OTHER_KEY}`)],
  ['another application', withHeaders(`X-Application-Id: ${OTHER_APPLICATION_ID}`, KEY)],
  [
    'an unknown application',
    withHeaders('X-Application-Id: 0199a5c0-0000-7000-8000-00000000000f', KEY),
  ],
  ['an application that is no UUID', withHeaders('X-Application-Id: app', KEY)],
  ['an application of one digit', withHeaders('X-Application-Id: 1', KEY)],
  ['an application in quotes', withHeaders(`X-Application-Id: '${APPLICATION_ID}'`, KEY)],
  ['an application in braces', withHeaders(`X-Application-Id: {${APPLICATION_ID}}`, KEY)],
  ['an application with SQL', withHeaders(`X-Application-Id: ${APPLICATION_ID}' or '1'='1`, KEY)],
  ['a key with a space inside', withHeaders(APPLICATION, 'X-API-Key: sk_ server')],
  ['a key with a tab inside', withHeaders(APPLICATION, 'X-API-Key: sk_\tserver')],
  ['a key with a Latin-1 character inside', withHeaders(APPLICATION, 'X-API-Key: sk_s\u00e9rver')],
  ['a right key and a Latin-1 character', withHeaders(APPLICATION, `${KEY}\u00e9`)],
  ['a key of 10 KB', withHeaders(APPLICATION, `X-API-Key: ${'k'.repeat(10_000)}`)],
  ['__proto__', withHeaders('X-Application-Id: __proto__', 'X-API-Key: __proto__')],
  ['two keys in one header', withHeaders(APPLICATION, `${KEY}, ${SERVER_KEY}`)],
  ['two headers of the right key', withHeaders(APPLICATION, KEY, KEY)],
  ['a right and a wrong key', withHeaders(APPLICATION, KEY, WRONG_KEY)],
  ['two applications in one header', withHeaders(`${APPLICATION}, ${APPLICATION_ID}`, KEY)],
  ['two headers of the application', withHeaders(APPLICATION, APPLICATION, KEY)],
  ['a key in Authorization', withHeaders(APPLICATION, `Authorization: Bearer ${SERVER_KEY}`)],
];

describeCorpus('wrong credentials have one answer', ({ check }) => {
  const answers = new Set<string>();
  for (const [name, wire] of WRONG_CREDENTIALS) {
    check(name, async (gateway) => {
      const { headers, body } = await expectRejected(gateway, wire, [403, 'forbidden']);

      const { date: _, 'x-request-id': requestId = '', ...others } = headers;
      answers.add(JSON.stringify([others, body.replaceAll(requestId, 'ID')]));
      expect(answers.size).toBe(1);
    });
  }
});

describeCorpus('right credentials, as HTTP writes them', ({ check }) => {
  for (const [name, wire] of [
    [
      'spaces around the key, which HTTP drops',
      withHeaders(APPLICATION, `X-API-Key:   ${SERVER_KEY}  `),
    ],
    ['an application in capitals', withHeaders(APPLICATION.toUpperCase(), KEY)],
    [
      'names of headers in any case',
      withHeaders(`x-APPLICATION-id: ${APPLICATION_ID}`, `x-api-KEY: ${SERVER_KEY}`),
    ],
  ] as const) {
    check(name, async (gateway) => expect((await send(gateway, wire)).status).toBe(200));
  }
  for (const [name, key] of [
    ['a key with CR', 'sk_\rserver'],
    ['a key with LF', 'sk_\nserver'],
    ['a key with CRLF and a header', `sk_wrong\r\n ${SERVER_KEY}`],
    ['a key with NUL', 'sk_\0server'],
  ] as const) {
    check(`${name} is not HTTP`, async (gateway) => {
      await expectRejected(gateway, withHeaders(APPLICATION, `X-API-Key: ${key}`), [
        400,
        'invalid_json',
      ]);
    });
  }
});

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => stopAfterRejections(gateway));

const WRONG = { ...SERVER_HEADERS, 'X-API-Key': 'sk_wrong' };
const { 'X-API-Key': _key, ...WITHOUT_KEY } = SERVER_HEADERS;

describe('credentials are decided before the body is read', () => {
  test.each([
    ['broken JSON', '{', WRONG],
    ['broken JSON and no key', '{', WITHOUT_KEY],
    ['another content type', 'x', { ...WRONG, 'Content-Type': 'text/plain' }],
    ['another encoding', 'x', { ...WRONG, 'Content-Encoding': 'zstd' }],
    ['a body that is too large', 'x'.repeat(9 * 1024 * 1024), WRONG],
    ['nothing', '', WRONG],
  ])('%s of wrong credentials is 403', async (_what, body, headers) => {
    expect((await gateway.post(body, { headers })).status).toBe(403);
  });

  test.each([
    ['by its length', { 'Content-Length': '1000' }],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('a body that is announced %s and withheld is not waited for', async (_how, announced) => {
    const call = request(gateway.url, { method: 'POST', headers: { ...WRONG, ...announced } });
    call.on('error', () => undefined);
    call.flushHeaders();

    const [response] = (await once(call, 'response')) as [IncomingMessage];

    expect(response.statusCode).toBe(403);
    expect(JSON.parse(await readText(response))).toMatchObject({ code: 'forbidden' });
    call.destroy();
  });

  test('a body that waits for 100-continue is not asked for, and its connection ends', async () => {
    await using connection = await openRawConnection(
      gateway.port,
      toBytes({ headers: [APPLICATION, WRONG_KEY, LENGTH, 'Expect: 100-continue'], body: '' }),
    );

    expectWireProblem(await connection.answer(), [403, 'forbidden']);
    await connection.closed;
  });
});

describeCorpus('what a Client key may send', ({ check }) => {
  const [action] = batchWith().messages;
  const allowed = [
    action,
    { ...action, type: 'revenue', revenue: 1, currency: 'EUR' },
    { type: 'user', id: 'm1', time: 1_700_000_000_000 },
  ];
  const all = {
    customUserId: 'u1',
    messages: [...allowed, { ...action, id: 'm2', type: 'businessEvent' }],
  };
  for (const message of allowed) {
    check(`${message?.type}: 200`, async (running) => {
      const body = { customUserId: 'u1', messages: [message] };

      expect((await running.post(body, { headers: CLIENT_HEADERS })).status).toBe(200);
      expect(running.records.at(-1)?.headers).toMatchObject({ 'key-type': 'client' });
    });
  }
  check('no businessEvent: nothing of the batch is accepted', async (running) => {
    const before = running.records.length;

    const { status, problem } = await running.post(all, { headers: CLIENT_HEADERS });

    expect([status, problem.code]).toEqual([403, 'client_key_forbidden']);
    expect(running.records).toHaveLength(before);
  });
  check('a businessEvent that is not valid is 400 first', async (running) => {
    const body = batchWith({ type: 'businessEvent', time: 'x' });

    expect((await running.post(body, { headers: CLIENT_HEADERS })).status).toBe(400);
  });
  check('a Server key may send all four', async (running) => {
    expect((await running.post(all)).status).toBe(200);
  });
});

describeCorpus('the allow-list', ({ check }) => {
  const listed = (
    allowList: readonly string[],
    trustedProxies: readonly string[] = [],
  ): TestGatewayOptions => ({
    trustedProxies,
    findKeyGrant: async (_applicationId, key) =>
      key === SERVER_KEY ? grantWith(APPLICATION_ID, 'server', { allowList }) : null,
  });
  const via = (addresses: string): Wire =>
    withHeaders(APPLICATION, KEY, `X-Forwarded-For: ${addresses}`);
  const right = withHeaders(APPLICATION, KEY);
  const OTHERS = ['10.0.0.0/8', '2001:db8::/32'];

  for (const [name, options, wire] of [
    ['is off when it is empty', listed([]), right],
    ['has the address itself', listed(['2001:db8::/32', '127.0.0.1']), right],
    ['has its network', listed(['2001:db8::/32', '127.0.0.0/8']), right],
    ['has every network', listed(['2001:db8::/32', '0.0.0.0/0']), right],
    [
      'has the address that a trusted proxy adds',
      listed(OTHERS, ['127.0.0.1']),
      via('203.0.113.5, 10.1.2.3'),
    ],
  ] as const) {
    check(`${name}: 200`, async () => {
      await using running = await startTestGateway(options);

      expect((await send(running, wire)).status).toBe(200);
    });
  }
  for (const [name, options, wire, code] of [
    ['has other networks', listed(OTHERS), right, 'ip_not_allowed'],
    ['has an address that the caller names', listed(OTHERS), via('10.1.2.3'), 'ip_not_allowed'],
    [
      'has one that the caller names to the proxy',
      listed(OTHERS, ['127.0.0.1']),
      via('10.1.2.3, 203.0.113.5'),
      'ip_not_allowed',
    ],
    [
      'is not told to a wrong key',
      listed(OTHERS),
      withHeaders(APPLICATION, WRONG_KEY),
      'forbidden',
    ],
  ] as const) {
    check(`${name}: 403 ${code}`, async () => {
      await using running = await startTestGateway(options);

      await expectRejected(running, wire, [403, code]);
    });
  }
});

describe('a caller who guesses keys', () => {
  const guess = (subject: TestGateway) => subject.post(batchWith(), { headers: WRONG });

  test('waits for the same answer, while right keys from his address are answered at once', async () => {
    const DELAY_MS = 300;
    await using slow = await startTestGateway({
      wrongKeys: createWrongKeys({ clock: createFakeClock(), freeMax: 2, delayMs: DELAY_MS }),
    });
    const [first] = [await guess(slow), await guess(slow)];
    const startedAt = performance.now();
    const guesses = Promise.all([guess(slow), guess(slow)]);

    expect((await slow.post('{', { headers: SERVER_HEADERS })).status).toBe(400);
    expect(performance.now() - startedAt).toBeLessThan(DELAY_MS);
    for (const late of await guesses) {
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(DELAY_MS - 2);
      expect([late.status, late.text.replace(late.problem.requestId, '')]).toEqual([
        403,
        first.text.replace(first.problem.requestId, ''),
      ]);
    }
  });

  test('is identified by the forwarded address, not the connecting one', async () => {
    await using slow = await startTestGateway({
      wrongKeys: createWrongKeys({ clock: createFakeClock(), freeMax: 1, delayMs: 100 }),
    });
    await guess(slow);
    const startedAt = performance.now();

    await slow.post(batchWith(), { headers: { ...WRONG, 'X-Forwarded-For': '203.0.113.5' } });

    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(98);
  });
});

describe('the use of a key', () => {
  test('is recorded for a valid key, also if the request is rejected later', async () => {
    await using subject = await startTestGateway();

    await subject.post('{');
    await subject.post(batchWith(), { headers: WRONG });
    await subject.post(batchWith({ type: 'businessEvent' }), { headers: CLIENT_HEADERS });

    expect(subject.usedKeys).toHaveLength(2);
    expect(new Set(subject.usedKeys).size).toBe(2);
  });
});

test('a right key is not forbidden', async () => {
  expect((await gateway.post('{', { headers: SERVER_HEADERS })).status).toBe(400);
});
