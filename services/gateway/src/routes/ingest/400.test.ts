import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  SERVER_HEADERS,
  batchWith,
  startTestGateway,
  stopAfterRejections,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => stopAfterRejections(gateway));

describe('a body that is not JSON', () => {
  const text = JSON.stringify(batchWith());

  test.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['white space', ' \n'],
    ['two values', `${text}${text}`],
    ['a trailing comma', '{"messages":[],}'],
    ['a comment', '{"messages":[] /* none */}'],
    ['single quotes', "{'messages':[]}"],
    ['NaN', text.replace('1700000000000', 'NaN')],
    ['Infinity', text.replace('1700000000000', 'Infinity')],
    ['a leading zero', text.replace('1700000000000', '01')],
    ['a hexadecimal number', text.replace('1700000000000', '0x1')],
    ['an end in the middle', text.slice(0, -2)],
    ['a raw NUL', text.replace('u1', 'u\0')],
    ['a raw line feed in a string', text.replace('u1', 'u\n')],
    ['a bad escape', text.replace('u1', String.raw`\ud8`)],
    ['bytes FF FE', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)])],
    ['an overlong NUL', Buffer.from(text.replace('u1', '\xc0\x80'), 'latin1')],
    ['a surrogate as three bytes', Buffer.from(text.replace('u1', '\xed\xa0\x80'), 'latin1')],
    ['a truncated character', Buffer.from(text.replace('u1', '\xe2\x82'), 'latin1')],
    ['latin1', Buffer.from(text.replace('u1', 'é'), 'latin1')],
    ['utf-16 that calls itself JSON', Buffer.from(text, 'utf16le')],
    ['two byte order marks', `\ufeff\ufeff${text}`],
    ['400,000 opening brackets', '['.repeat(400_000)],
    ['a word', 'hello'],
  ])('%s', async (_what, body) => {
    const { status, headers, problem, text: answer } = await gateway.post(body);

    expect(status).toBe(400);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(problem).toMatchObject({
      code: 'invalid_json',
      status: 400,
      requestId: headers.get('X-Request-Id'),
    });
    expect(answer).not.toContain('hello');
  });

  test.each([
    ['truncated', gzipSync(text).subarray(0, 40)],
    ['not compressed at all', Buffer.from(text)],
    ['of nothing', gzipSync('')],
    ['twice', gzipSync(gzipSync(text))],
    ['empty', Buffer.alloc(0)],
  ])('gzip: %s', async (_what, body) => {
    const { status, problem } = await gateway.post(body, {
      headers: { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' },
    });

    expect([status, problem.code]).toEqual([400, 'invalid_json']);
  });
});

describe('an envelope that is not one', () => {
  const messages = batchWith().messages;

  test.each<[string, unknown, object]>([
    ['null', null, { pointer: '', code: 'wrong_type', expected: 'object' }],
    ['a number', 5, { pointer: '', code: 'wrong_type', expected: 'object' }],
    ['a string', '"x"', { pointer: '', code: 'wrong_type', expected: 'object' }],
    ['an array', [], { pointer: '', code: 'wrong_type', expected: 'object' }],
    ['no messages', { customUserId: 'u1' }, { pointer: '/messages', code: 'required' }],
    [
      'messages null',
      { customUserId: 'u1', messages: null },
      { pointer: '/messages', code: 'wrong_type', expected: 'array' },
    ],
    [
      'messages an object',
      { customUserId: 'u1', messages: {} },
      { pointer: '/messages', code: 'wrong_type', expected: 'array' },
    ],
    [
      'messages a string',
      { customUserId: 'u1', messages: 'x' },
      { pointer: '/messages', code: 'wrong_type', expected: 'array' },
    ],
    [
      'messages empty',
      { customUserId: 'u1', messages: [] },
      { pointer: '/messages', code: 'empty', expected: 'at least 1 item' },
    ],
    [
      '1,001 messages',
      { customUserId: 'u1', messages: Array.from({ length: 1_001 }, () => messages[0]) },
      { pointer: '/messages', code: 'too_many', expected: 'at most 1000 items' },
    ],
    [
      'a message in an array',
      { customUserId: 'u1', messages: [messages] },
      { pointer: '/messages/0', index: 0, code: 'wrong_type', expected: 'object' },
    ],
    [
      'a message that is null',
      { customUserId: 'u1', messages: [...messages, null] },
      { pointer: '/messages/1', index: 1, code: 'wrong_type', expected: 'object' },
    ],
    [
      'a message that is a text',
      { customUserId: 'u1', messages: ['{}'] },
      { pointer: '/messages/0', index: 0, code: 'wrong_type', expected: 'object' },
    ],
    [
      'a customUserId of 257 characters',
      { customUserId: 'u'.repeat(257), messages },
      { pointer: '/customUserId', code: 'too_long', expected: 'at most 256 characters' },
    ],
    [
      'a customUserId that is a number',
      { customUserId: 5, messages },
      { pointer: '/customUserId', code: 'wrong_type', expected: 'string or null' },
    ],
    [
      'a customUserId that is true',
      { customUserId: true, messages },
      { pointer: '/customUserId', code: 'wrong_type', expected: 'string or null' },
    ],
    [
      'a customUserId that is an object',
      { customUserId: {}, messages },
      { pointer: '/customUserId', code: 'wrong_type', expected: 'string or null' },
    ],
    [
      'a serviceUserId that is a number',
      { customUserId: 'u1', serviceUserId: 5, messages },
      { pointer: '/serviceUserId', code: 'wrong_type', expected: 'string or null' },
    ],
    [
      'NUL in the customUserId',
      String.raw`{"customUserId":"\u0000","messages":[{"type":"user","id":"a","time":1}]}`,
      { pointer: '/customUserId', code: 'nul_not_allowed' },
    ],
    [
      'half a character in the customUserId',
      String.raw`{"customUserId":"\ud800","messages":[{"type":"user","id":"a","time":1}]}`,
      { pointer: '/customUserId', code: 'invalid_value' },
    ],
    [
      'half a character in the serviceUserId',
      String.raw`{"serviceUserId":"\udc00","messages":[{"type":"user","id":"a","time":1}]}`,
      { pointer: '/serviceUserId', code: 'invalid_value' },
    ],
    [
      'no id for an action',
      { messages },
      { pointer: '/customUserId', code: 'required', expected: 'customUserId or serviceUserId' },
    ],
    [
      'ids of null',
      { customUserId: null, serviceUserId: null, messages },
      { pointer: '/customUserId', code: 'required' },
    ],
    [
      'no id for a user',
      { messages: [{ type: 'user', id: 'a', time: 1 }] },
      { pointer: '/customUserId', code: 'required' },
    ],
    [
      'no id for one of many',
      { messages: [{ ...messages[0], type: 'businessEvent' }, ...messages] },
      { pointer: '/customUserId', code: 'required' },
    ],
  ])('%s', async (_what, body, error) => {
    const { status, problem } = await gateway.post(body);

    expect(status).toBe(400);
    expect(problem).toMatchObject({
      code: 'validation_failed',
      title: 'The request is not valid',
      errors: [error],
    });
    expect(problem.errors).toHaveLength(1);
  });
});

describe('a batch is atomic', () => {
  const valid = batchWith().messages[0];

  test('one bad message of 1,000 rejects all, and is named', async () => {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      ...valid,
      id: `m${index}`,
      ...(index === 700 ? { time: '1' } : {}),
    }));

    const { status, problem } = await gateway.post({ customUserId: 'u1', messages });

    expect(status).toBe(400);
    expect(problem.errors).toEqual([
      {
        pointer: '/messages/700/time',
        index: 700,
        messageId: 'm700',
        code: 'wrong_type',
        expected: 'integer',
      },
    ]);
  });

  test('faults of all kinds are listed: schema, content, the range of a Long, the missing user', async () => {
    const text = String.raw`{"messages":[{"type":"action","id":"a","time":"x","customName":"n"},{"type":"action","id":"b","time":9223372036854775808,"customName":"n"},{"type":"action","id":"c","time":1,"customName":"\u0000"}]}`;

    const { problem } = await gateway.post(text);

    expect(
      new Set(
        problem.errors?.map(({ pointer, code, messageId }) =>
          [pointer, code, messageId].join(' ').trim(),
        ),
      ),
    ).toEqual(
      new Set([
        '/messages/0/time wrong_type a',
        '/messages/1/time out_of_range b',
        '/messages/2/customName nul_not_allowed c',
        '/customUserId required',
      ]),
    );
  });

  test('of more than 100 faults 100 are listed, with errorsTruncated', async () => {
    const { problem } = await gateway.post({
      customUserId: 'u1',
      messages: Array.from({ length: 1_000 }, () => ({})),
    });

    expect(problem.errors).toHaveLength(100);
    expect(problem.errorsTruncated).toBe(true);
  });

  test('values of the caller are never repeated', async () => {
    const { text } = await gateway.post({
      customUserId: { canary: 1 },
      messages: [
        {
          type: 'canary',
          id: ['canary'],
          time: 'canary',
          customName: { canary: 1 },
          attributes: 'canary',
          currency: 'canary',
          revenue: 'canary',
        },
      ],
    });

    expect(text).not.toContain('canary');
  });
});

describe('a hostile body is judged soon and answered shortly', () => {
  const fill = (item: string, count: number) => Array.from({ length: count }, () => item).join(',');

  test.each<[string, string, string]>([
    ['350,000 empty messages', `{"messages":[${fill('{}', 349_000)}]}`, 'validation_failed'],
    [
      'arrays nested 200,000 deep',
      `{"messages":[${'['.repeat(200_000)}${']'.repeat(200_000)}]}`,
      'validation_failed',
    ],
    [
      'the same beside a long integer',
      `{"a":9007199254740993,"messages":[${'['.repeat(200_000)}${']'.repeat(200_000)}]}`,
      'validation_failed',
    ],
    [
      '80,000 keys',
      `{"messages":[{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(',')}}]}`,
      'validation_failed',
    ],
    [
      '100,000 texts with NUL',
      `{"messages":[{"a":[${fill(String.raw`"\u0000"`, 100_000)}]}]}`,
      'validation_failed',
    ],
    [
      '100,000 mistyped attributes',
      `{"messages":[{"type":"user","customAttributes":{${Array.from({ length: 80_000 }, (_, index) => `"${index}":[]`).join(',')}}}]}`,
      'validation_failed',
    ],
    [
      'a long key above many faults',
      `{"messages":[{"${'k'.repeat(500_000)}":[${fill(String.raw`"\u0000"`, 1_000)}]}]}`,
      'validation_failed',
    ],
    [
      'an integer of 1,000,000 digits',
      `{"messages":[{"a":${'9'.repeat(1_000_000)}}]}`,
      'validation_failed',
    ],
  ])('%s', async (_what, body, code) => {
    const startedAt = performance.now();
    const { status, problem, text } = await gateway.post(body);

    expect([status, problem.code]).toEqual([400, code]);
    expect(text.length).toBeLessThan(256 * 1024);
    // Far above the usual time; quadratic work takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
