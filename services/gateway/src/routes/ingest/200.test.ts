import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isUuid } from '@tidings/platform';
import { textWith } from '../../testing/corpus.ts';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  batchWith,
  startTestGateway,
  type TestGateway,
} from '../../testing/test-gateway.ts';
import { send } from '../../testing/wire.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

const four = {
  customUserId: 'u1',
  messages: [
    {
      type: 'user',
      id: 'm1',
      time: 1,
      firstName: 'Ann',
      birthday: -1,
      customAttributes: { vip: true, tags: { list: [1] } },
    },
    { type: 'action', id: 'm2', time: 2, customName: 'opened', attributes: { n: 1 } },
    { type: 'revenue', id: 'm3', time: 3, customName: 'paid', revenue: 10, currency: 'EUR' },
    { type: 'businessEvent', id: 'm4', time: 4, name: 'abcde' },
  ],
};

describe('an accepted batch', () => {
  test('of all four types is one record with the bytes of the request, and the answer counts its messages', async () => {
    const { status, headers, body } = await gateway.post(four);

    expect(status).toBe(200);
    expect(body).toEqual({
      requestId: headers.get('X-Request-Id'),
      status: 'accepted',
      received: 4,
      accepted: 4,
      warnings: [],
    });
    expect(headers.get('API-Version')).toBe('1');
    expect(headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(gateway.records.at(-1)).toEqual({
      key: `${APPLICATION_ID}:u1`,
      value: Buffer.from(JSON.stringify(four)),
      headers: {
        'application-id': APPLICATION_ID,
        'request-id': headers.get('X-Request-Id'),
        'received-at': String(gateway.clock.now()),
        'key-type': 'server',
        kinds: 'user,action,revenue,businessEvent',
      },
    });
  });

  test('is answered with the bytes of JSON.stringify and these headers, no others', async () => {
    const { headers, body } = await send(gateway, {});

    const requestId = headers['x-request-id'];
    const answer = { requestId, status: 'accepted', received: 1, accepted: 1, warnings: [] };
    expect(isUuid(String(requestId))).toBe(true);
    expect(body).toBe(JSON.stringify(answer));
    expect(headers).toEqual({
      'x-request-id': requestId,
      'api-version': '1',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      date: expect.stringMatching(/ GMT$/),
      connection: 'keep-alive',
      'keep-alive': 'timeout=75',
    });
  });

  test.each(['/', '/v1', '/v1/', '/?a=b'])('is taken at %s', async (path) => {
    expect((await gateway.post(batchWith(), { path })).status).toBe(200);
  });

  test('of a Client key is marked as such', async () => {
    const { status } = await gateway.post(batchWith(), { headers: CLIENT_HEADERS });

    expect(status).toBe(200);
    expect(gateway.records.at(-1)?.headers).toMatchObject({ 'key-type': 'client' });
  });

  test('may have 1 or 1,000 messages', async () => {
    const [message] = batchWith().messages;

    const { body } = await gateway.post(
      batchWith({}, { messages: Array.from({ length: 1_000 }, () => message) }),
    );

    expect(body).toMatchObject({ received: 1_000, accepted: 1_000 });
  });
});

describe('ids', () => {
  test.each([
    ['a customUserId', { customUserId: 'u1' }, 'u1'],
    ['one of 256 characters', { customUserId: 'u'.repeat(256) }, 'u'.repeat(256)],
    ['one of 256 emoji', { customUserId: '😀'.repeat(256) }, '😀'.repeat(256)],
    ['spaces around it, which are part of it', { customUserId: ' u1 ' }, ' u1 '],
    ['right-to-left text', { customUserId: 'משתמש' }, 'משתמש'],
    ['__proto__', { customUserId: '__proto__' }, '__proto__'],
    ['an empty one, whose messages are dropped later', { customUserId: '' }, ''],
    [
      'a serviceUserId alone',
      { customUserId: null, serviceUserId: '0199A5C0-0000-7000-8000-000000000001' },
      '0199a5c0-0000-7000-8000-000000000001',
    ],
    [
      'the nil UUID',
      { customUserId: null, serviceUserId: '00000000-0000-0000-0000-000000000000' },
      '00000000-0000-0000-0000-000000000000',
    ],
    [
      'a malformed serviceUserId, dropped later',
      { customUserId: null, serviceUserId: '{x}' },
      'm1',
    ],
    [
      'a malformed serviceUserId as long as the body',
      { customUserId: null, serviceUserId: 'x'.repeat(1_000_000) },
      'm1',
    ],
    ['both', { customUserId: 'u1', serviceUserId: '0199a5c0-0000-7000-8000-000000000001' }, 'u1'],
    ['both, one of them malformed', { customUserId: 'u1', serviceUserId: '' }, 'u1'],
  ])('%s', async (_what, ids, key) => {
    const { status } = await gateway.post(batchWith({}, ids));

    expect(status).toBe(200);
    expect(gateway.records.at(-1)?.key).toBe(`${APPLICATION_ID}:${key}`);
  });

  test('a businessEvent needs none', async () => {
    expect(
      (await gateway.post(batchWith({ type: 'businessEvent' }, { customUserId: null }))).status,
    ).toBe(200);
    expect(
      (await gateway.post({ messages: batchWith({ type: 'businessEvent' }).messages })).status,
    ).toBe(200);
  });
});

describe('values that are legal', () => {
  test('a message of many short numbers, however large its neighbours are', async () => {
    const [small, large] = [
      batchWith({ attributes: { n: Array.from({ length: 15_000 }, () => 1) } }),
      batchWith({ attributes: { s: 'x'.repeat(30_000) } }),
    ];

    expect(
      (await gateway.post({ ...small, messages: [...small.messages, ...large.messages] })).status,
    ).toBe(200);
  });

  test('lone surrogates in values and keys become U+FFFD in the record, and other values stay as they are', async () => {
    const { status } = await gateway.post(
      textWith(
        String.raw`"time":9007199254740993,"attributes":{"\ud800":"a\udfffb","ok":"\ud83d\ude00","n":1.5}`,
      ),
    );

    expect(status).toBe(200);
    expect(String(gateway.records.at(-1)?.value)).toContain(
      '"time":9007199254740993,"attributes":{"\ufffd":"a\ufffdb","ok":"\\ud83d\\ude00","n":1.5}',
    );
  });
});

describe('warnings', () => {
  const warningsOf = async (body: unknown): Promise<unknown> =>
    ((await gateway.post(body)).body as { warnings: unknown }).warnings;

  test('name unknown fields of the envelope and of every type of message', async () => {
    const body = {
      ...four,
      'a/b': 1,
      messages: four.messages.map((message, index) => ({ ...message, [`x${index}`]: 1 })),
    };

    expect(await warningsOf(body)).toEqual(
      ['/a~1b', '/messages/0/x0', '/messages/1/x1', '/messages/2/x2', '/messages/3/x3'].map(
        (pointer) => ({
          code: 'unknown_field',
          pointer,
          detail: 'Unknown field (not stored).',
        }),
      ),
    );
  });

  test('are 100 at most', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]));

    expect(await warningsOf(batchWith(unknown))).toHaveLength(100);
    expect(await warningsOf(batchWith({}, unknown))).toHaveLength(100);
  });
});

test('every answer has a request id of its own', async () => {
  const ids = await Promise.all(
    Array.from(
      { length: 5 },
      async () => ((await gateway.post(batchWith())).body as { requestId: string }).requestId,
    ),
  );

  expect(ids.every(isUuid)).toBe(true);
  expect(new Set(ids).size).toBe(5);
});
