import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isUuid } from '@tidings/platform';
import {
  CLIENT_HEADERS,
  SERVER_HEADERS,
  batchWith,
  startTestGateway,
  type Answer,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

const LENIENT = { ...SERVER_HEADERS, Prefer: 'handling=lenient' };
const [valid] = batchWith().messages;
const message = (id: string, fields: object = {}) => ({ ...valid, id, ...fields });
const post = (
  body: unknown,
  headers: Readonly<Record<string, string>> = LENIENT,
): Promise<Answer> => gateway.post(body, { headers });

function lastRecord(): {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const record = gateway.records.at(-1);
  return { text: String(record?.value), headers: record?.headers ?? {} };
}

describe('lenient handling', () => {
  test('accepts the messages without faults and names the others with the first of theirs', async () => {
    const body = {
      customUserId: 'u1',
      messages: [
        message('a', { time: 'x', name: 5 }),
        message('b'),
        message('', {}),
        message('d', { type: 'revenue' }),
        message('e'),
        7,
      ],
    };

    const { status, headers, body: answer } = await post(body);

    expect(status).toBe(200);
    expect(headers.get('Preference-Applied')).toBe('handling=lenient');
    expect(answer).toEqual({
      requestId: headers.get('X-Request-Id'),
      status: 'partial',
      received: 6,
      accepted: 2,
      rejected: [
        {
          index: 0,
          id: 'a',
          pointer: '/messages/0/time',
          code: 'wrong_type',
          detail: 'Expected integer.',
        },
        {
          index: 2,
          id: null,
          pointer: '/messages/2/id',
          code: 'empty',
          detail: 'Expected at least 1 character.',
        },
        {
          index: 3,
          id: 'd',
          pointer: '/messages/3/revenue',
          code: 'required',
          detail: 'Expected number.',
        },
        {
          index: 5,
          id: null,
          pointer: '/messages/5',
          code: 'wrong_type',
          detail: 'Expected object.',
        },
      ],
      warnings: [],
    });
    expect(JSON.parse(lastRecord().text)).toEqual({
      customUserId: 'u1',
      messages: [message('b'), message('e')],
    });
    expect(lastRecord().headers).toMatchObject({ indexes: '1,4', kinds: 'action' });
  });

  test('of a batch without faults forwards the bytes of the request, and Preference-Applied is set', async () => {
    const text = ` ${JSON.stringify(batchWith({ time: 1 }))}`;

    const { headers, body } = await post(text);

    expect(headers.get('Preference-Applied')).toBe('handling=lenient');
    expect(body).toEqual({
      requestId: headers.get('X-Request-Id'),
      status: 'accepted',
      received: 1,
      accepted: 1,
      warnings: [],
    });
    expect(lastRecord().text).toBe(text);
    expect(lastRecord().headers).not.toHaveProperty('indexes');
  });

  test('keeps what it accepts to the last digit, replaces what no store holds, and warns by the index of the request', async () => {
    const odd = String.raw`{"type":"action","id":"b","time":9007199254740993,"customName":"n","attributes":{"a\ud800":"x\udc00","n":12345678901234567890,"__proto__":{"b":1.5}},"extra":1}`;

    const { status, body } = await post(
      `{"customUserId":"u1","q":1,"messages":[{"type":"action","id":"a","time":9223372036854775808,"customName":"n"},${odd}]}`,
    );

    expect(status).toBe(200);
    expect(lastRecord().text).toBe(
      '{"customUserId":"u1","q":1,"messages":[{"type":"action","id":"b","time":9007199254740993,"customName":"n","attributes":{"a\ufffd":"x\ufffd","n":12345678901234567890,"__proto__":{"b":1.5}},"extra":1}]}',
    );
    expect(body).toMatchObject({
      rejected: [{ index: 0, pointer: '/messages/0/time', code: 'out_of_range' }],
      warnings: [
        { code: 'unknown_field', pointer: '/q' },
        { code: 'unknown_field', pointer: '/messages/1/extra' },
        { code: 'suspicious_time', pointer: '/messages/1/time' },
      ],
    });
  });

  test('leaves out what is hostile, message by message', async () => {
    const nul = String.raw`{"type":"action","id":"a","time":1,"customName":"\u0000"}`;
    const deep = `{"type":"action","id":"b","time":1,"customName":"n","attributes":{"a":${'['.repeat(100)}${']'.repeat(100)}}}`;
    const large = JSON.stringify(message('c', { attributes: { text: 'x'.repeat(33_000) } }));

    const { body } = await post(
      `{"customUserId":"u1","messages":[${nul},${deep},${large},${JSON.stringify(message('d'))}]}`,
    );

    expect(body).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 0, code: 'nul_not_allowed' },
        { index: 1, code: 'too_deep' },
        { index: 2, code: 'too_long' },
      ],
    });
    expect(lastRecord().headers).toMatchObject({ indexes: '3' });
  });

  test('without a user rejects only messages that need one', async () => {
    const { body } = await post({
      messages: [
        message('a'),
        message('b', { type: 'businessEvent' }),
        { type: 'user', id: 'c', time: 1 },
      ],
    });

    expect(body).toMatchObject({
      accepted: 1,
      rejected: [
        {
          index: 0,
          id: 'a',
          pointer: '/customUserId',
          code: 'required',
          detail: 'Expected customUserId or serviceUserId.',
        },
        { index: 2, id: 'c', pointer: '/customUserId', code: 'required' },
      ],
    });
    expect(lastRecord().headers).toMatchObject({ indexes: '1', kinds: 'businessEvent' });
  });

  test('finds the faults of all messages, however many there are', async () => {
    const messages = Array.from({ length: 1_000 }, (_, index) =>
      message(`m${index}`, index % 10 === 9 ? {} : { time: null, attributes: 5 }),
    );

    const { body } = await post({ customUserId: 'u1', messages });

    const { rejected } = body as { rejected: { index: number }[] };
    expect(body).toMatchObject({ received: 1_000, accepted: 100 });
    expect(rejected).toHaveLength(900);
    expect(rejected.at(-1)).toMatchObject({
      index: 998,
      id: 'm998',
      pointer: '/messages/998/time',
      code: 'wrong_type',
    });
    expect(lastRecord().headers['indexes']?.split(',')).toEqual(
      Array.from({ length: 100 }, (_, n) => String(n * 10 + 9)),
    );
  });

  test('is listed in the ingest log with the faults of what was rejected', async () => {
    const { headers } = await post({
      customUserId: 'u1',
      messages: [message('a', { time: 'secret' }), message('b')],
    });

    const entry = gateway.rejections.at(-1);
    expect(entry).toMatchObject({
      requestId: headers.get('X-Request-Id'),
      status: 200,
      code: 'validation_failed',
      path: '/',
      address: null,
    });
    expect(entry?.errors).toEqual([
      {
        pointer: '/messages/0/time',
        code: 'wrong_type',
        expected: 'integer',
        index: 0,
        messageId: 'a',
      },
    ]);
    expect(isUuid(entry?.keyId ?? '')).toBe(true);
  });
});

test('a message that is nested very deep is left out, and a long integer of another keeps its digits', async () => {
  const deep = `{"type":"action","id":"a","time":1,"customName":"n","attributes":{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}}`;

  const { status, body } = await post(
    `{"customUserId":"u1","messages":[${deep},{"type":"action","id":"b","time":9007199254740993,"customName":"n"}]}`,
  );

  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'partial', rejected: [{ index: 0, code: 'too_deep' }] });
  expect(String(gateway.records.at(-1)?.value)).toBe(
    '{"customUserId":"u1","messages":[{"type":"action","id":"b","time":9007199254740993,"customName":"n"}]}',
  );
});

describe('lenient handling rejects the whole batch', () => {
  const good = message('b');

  test.each<[string, unknown, string]>([
    [
      'no message is acceptable',
      { customUserId: 'u1', messages: [message('a', { time: 'x' }), 5] },
      '/messages/0/time wrong_type',
    ],
    [
      'a fault of the envelope',
      { customUserId: 5, messages: [message('a', { time: 'x' }), good] },
      '/customUserId wrong_type',
    ],
    [
      'NUL in a field of the envelope',
      String.raw`{"customUserId":"u1","x":"\u0000","messages":[${JSON.stringify(good)}]}`,
      '/x nul_not_allowed',
    ],
    [
      'half a character in the user’s id',
      String.raw`{"customUserId":"\ud800","messages":[${JSON.stringify(good)}]}`,
      '/customUserId invalid_value',
    ],
    [
      'too many messages',
      { customUserId: 'u1', messages: Array.from({ length: 1_001 }, () => good) },
      '/messages too_many',
    ],
    ['no messages', { customUserId: 'u1' }, '/messages required'],
    [
      'a missing user, and nothing that needs none',
      { messages: [good, message('c')] },
      '/customUserId required',
    ],
    ['nothing but an array', [good], ' wrong_type'],
  ])('%s', async (_what, body, error) => {
    const before = gateway.records.length;

    const { status, headers, problem } = await post(body);

    expect([status, problem.code]).toEqual([400, 'validation_failed']);
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toContain(error);
    expect(headers.get('Preference-Applied')).toBeNull();
    expect(gateway.records).toHaveLength(before);
  });

  test('when it cannot be parsed', async () => {
    expect((await post('{"customUserId":"u1","messages":[{}')).problem.code).toBe('invalid_json');
  });

  test.each([
    ['accepted', message('b', { type: 'businessEvent' }), message('c', { time: 'x' })],
    ['rejected', message('b', { type: 'businessEvent', time: 'x' }), message('c')],
  ])('of a Client key for a businessEvent that would be %s', async (_what, ...messages) => {
    const { status, problem } = await post(
      { customUserId: 'u1', messages },
      { ...CLIENT_HEADERS, Prefer: 'handling=lenient' },
    );

    expect([status, problem.code]).toEqual([403, 'client_key_forbidden']);
  });
});

test.each(['handling=strict', 'respond-async', 'lenient'])(
  'a caller who prefers something else gets a strict answer: %s',
  async (Prefer) => {
    const { status, headers } = await post(
      { customUserId: 'u1', messages: [message('a', { time: 'x' }), message('b')] },
      { ...SERVER_HEADERS, Prefer },
    );

    expect(status).toBe(400);
    expect(headers.get('Preference-Applied')).toBeNull();
  },
);
