import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
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

  test('exactly 100 faults are not called truncated', async () => {
    const { problem } = await gateway.post({
      customUserId: 'u1',
      messages: Array.from({ length: 100 }, () => ({ ...valid, time: 'x' })),
    });

    expect([problem.errors?.length, problem.errorsTruncated]).toEqual([100, undefined]);
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
