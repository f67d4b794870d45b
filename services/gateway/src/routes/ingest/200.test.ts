import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isUuid } from '@tidings/platform';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  SERVER_HEADERS,
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

const lastValue = (): string => String(gateway.records.at(-1)?.value);

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
  test.each<[string, Record<string, unknown> | string]>([
    ['time 0', { time: 0 }],
    ['time before 1970', { time: -62_135_596_800_000 }],
    ['the greatest Long', '"time":9223372036854775807'],
    ['the least Long', '"time":-9223372036854775808'],
    ['2^53 + 1', '"time":9007199254740993'],
    ['1e3', '"time":1e3'],
    ['1.0', '"time":1.0'],
    ['-0', '"time":-0'],
    ['an id of one character', { id: 'x' }],
    ['an id of 128 characters', { id: 'é'.repeat(128) }],
    ['an id of digits', { id: '12345678901234567890' }],
    ['an empty customName, dropped later', { customName: '' }],
    ['a blank customName, dropped later', { customName: '   ' }],
    ['a customName of 256 characters', { customName: '字'.repeat(256) }],
    ['a name beside a customName of null', { name: 'abcde', customName: null }],
    ['a customName beside a name of null', { name: null }],
    ['an empty name', { name: '', customName: null }],
    ['a name of 64 characters', { name: 'n'.repeat(64), customName: null }],
    ['a revenue of 0', { type: 'revenue', revenue: 0, currency: 'EUR' }],
    ['a negative revenue', { type: 'revenue', revenue: -5.5, currency: 'USD' }],
    ['a revenue of 1e308', '"type":"revenue","revenue":1e308,"currency":"EUR"'],
    ['a revenue too small for a double', '"type":"revenue","revenue":1e-400,"currency":"EUR"'],
    ['no attributes in an empty object', { attributes: {} }],
    [
      'attributes of every type',
      {
        attributes: {
          s: '',
          i: 1,
          d: 1.5,
          b: false,
          at: '2024-02-30T00:00:00.000Z',
          o: { '': {} },
          a: [null, [1]],
          n: null,
        },
      },
    ],
    ['an integer of 30 digits in attributes', '"attributes":{"n":123456789012345678901234567890}'],
    [
      'strange keys',
      '"attributes":{"__proto__":{"a":1},"constructor":{"prototype":1},"$where":"1","a.b":1,"":1,"😀":1,"א":1}',
    ],
    ['the same key twice', '"attributes":{"a":1,"a":2}'],
    ['a user who sets nothing', { type: 'user', customName: undefined }],
    [
      'a user who clears all',
      {
        type: 'user',
        customName: undefined,
        firstName: null,
        birthday: null,
        customAttributes: null,
        gender: null,
      },
    ],
    [
      'arrays below the top of customAttributes',
      { type: 'user', customName: undefined, customAttributes: { a: { b: [1] }, c: null } },
    ],
    ['the greatest birthday', '"type":"user","customName":null,"birthday":9223372036854775807'],
    [
      'text that means something elsewhere',
      { type: 'user', customName: undefined, firstName: '<script>', lastName: "=cmd|'/c calc'!A1" },
    ],
  ])('%s', async (_what, fields) => {
    const text = typeof fields === 'string' ? textWith(fields) : JSON.stringify(batchWith(fields));

    const { status, body } = await gateway.post(text);

    expect(status).toBe(200);
    expect(body).toMatchObject({ received: 1, accepted: 1 });
    expect(lastValue()).toBe(text);
  });

  /** A batch of one message with literal JSON fields, which objects cannot express. */
  function textWith(fields: string): string {
    const defaults = Object.entries(batchWith().messages[0] ?? {}).filter(
      ([key]) => !fields.includes(`"${key}":`),
    );
    return `{"customUserId":"u1","messages":[{${[...defaults.map(([key, value]) => `"${key}":${JSON.stringify(value)}`), fields].join(',')}}]}`;
  }

  test('16 levels in a message, itself the first', async () => {
    const nested = `${'{"a":'.repeat(14)}1${'}'.repeat(14)}`;

    expect((await gateway.post(textWith(`"attributes":{"a":${nested}}`))).status).toBe(200);
  });

  test('1,000 keys in a message', async () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 995 }, (_, index) => [`k${index}`, 1]),
    );

    expect((await gateway.post(batchWith({ attributes }))).status).toBe(200);
  });

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
    expect(lastValue()).toContain(
      '"time":9007199254740993,"attributes":{"\ufffd":"a\ufffdb","ok":"\\ud83d\\ude00","n":1.5}',
    );
  });
});

describe('encodings', () => {
  const text = JSON.stringify(batchWith());

  test.each([
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s is undone: the record has the plain bytes', async (encoding, bytes) => {
    const { status } = await gateway.post(bytes, {
      headers: { ...SERVER_HEADERS, 'Content-Encoding': encoding },
    });

    expect(status).toBe(200);
    expect(lastValue()).toBe(text);
  });

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json ; charset=utf8; x=y',
  ])('%s', async (type) => {
    expect(
      (await gateway.post(text, { headers: { ...SERVER_HEADERS, 'Content-Type': type } })).status,
    ).toBe(200);
  });

  test('a byte order mark is accepted, and not part of the record', async () => {
    const { status } = await gateway.post(`\ufeff${text}`);

    expect(status).toBe(200);
    expect(lastValue()).toBe(text);
  });

  test('a body of exactly 1 MiB is accepted, by length and in chunks', async () => {
    const full = text + ' '.repeat(1024 * 1024 - text.length);

    expect((await gateway.post(full)).status).toBe(200);
    expect(
      (
        await gateway.post(gzipSync(full), {
          headers: { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' },
        })
      ).status,
    ).toBe(200);
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

  test('name attributes of a revenue message, of any type', async () => {
    const revenue = { type: 'revenue', revenue: 1, currency: 'EUR' };

    expect(await warningsOf(batchWith({ ...revenue, attributes: { a: 1 } }))).toMatchObject([
      { code: 'unsupported_field', pointer: '/messages/0/attributes' },
    ]);
    expect(await warningsOf(batchWith({ ...revenue, attributes: 'x' }))).toHaveLength(1);
  });

  test.each([
    ['seconds', 1_700_000_000, 1],
    ['the last that looks like seconds', 9_999_999_999, 1],
    ['milliseconds of 1970', 10_000_000_000, 0],
    ['milliseconds of early 1970', 999_999_999, 0],
    ['a day and a bit ahead', 1_700_000_000_000 + 86_400_001, 1],
    ['a day ahead', 1_700_000_000_000 + 86_400_000, 0],
    ['long ago', -1, 0],
  ])('name a time that looks wrong: %s', async (_what, time, count) => {
    expect(await warningsOf(batchWith({ time }))).toEqual(
      Array.from({ length: count }, () => ({
        code: 'suspicious_time',
        pointer: '/messages/0/time',
        detail: expect.any(String),
      })),
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
