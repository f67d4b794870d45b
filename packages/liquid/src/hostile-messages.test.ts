import { describe, expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { FIELD_ERRORS_MAX } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import { compileMessage } from './compile-message.ts';

const MANY = 5_000;
const texts = (count: number, text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, text]));
const faultsOf = (channel: 'WEB_PUSH' | 'APP_PUSH', message: object) => {
  const result = compileMessage({ channel, message: message as PushMessage, pointer: '/message' });
  return result.ok ? [] : result.errors;
};

describe('the work on a message that its schema refuses has a bound', () => {
  test('texts beyond the limit are not read, and are one fault', () => {
    let reads = 0;
    const images = Array.from({ length: MANY }, () => ({
      get url() {
        reads += 1;
        return 'https://a.example/';
      },
    }));

    expect(faultsOf('WEB_PUSH', { body: 'x', images })).toEqual([
      { pointer: '/message/images/499/url', code: 'too_many', expected: 'at most 500 texts' },
    ]);
    expect(reads).toBe(500);
  });

  test.each([
    ['of an object', texts(MANY, 'x')],
    ['of a list', { a: Object.values(texts(MANY, 'x')) }],
    ['of lists within objects', { a: [{ b: texts(MANY, 'x') }] }],
  ])('too many texts %s are one fault', (_what, customContent) => {
    expect(faultsOf('APP_PUSH', { body: 'x', customContent })).toMatchObject([
      { code: 'too_many', expected: 'at most 500 texts' },
    ]);
  });

  test('texts that are too long together are one fault', () => {
    const customContent = texts(100, 'x'.repeat(LIMITS.templateBytesMax / 50));

    expect(faultsOf('APP_PUSH', { body: 'x', customContent })).toMatchObject([
      { code: 'too_long', pointer: '/message/customContent/k50' },
    ]);
  });

  test('no more faults are gathered than tell that there are more than are listed', () => {
    const customContent = texts(400, '{{ nope }}');

    expect(faultsOf('APP_PUSH', { body: 'x', customContent })).toHaveLength(FIELD_ERRORS_MAX + 1);
  });

  test.each([[[null]], [[5, 'x', [], undefined]], [{ 0: null }], [5]])(
    'items that are no objects are left to the schema: %j',
    (items) => {
      expect(faultsOf('WEB_PUSH', { body: 'x', images: items, buttons: items })).toEqual([]);
    },
  );

  test('levels beyond the limit are left to the check of content', () => {
    let customContent: object = { text: '{{ nope }}' };
    for (let level = 0; level < 100_000; level += 1) customContent = { a: customContent };

    expect(faultsOf('APP_PUSH', { body: 'x', customContent })).toEqual([]);
  });

  test('the deepest text of a valid message is read', () => {
    let customContent: object = { text: '{{ nope }}' };
    // The message and customContent are the first two.
    for (let level = 2; level < LIMITS.messageDepthMax; level += 1)
      customContent = { a: customContent };

    expect(faultsOf('APP_PUSH', { body: 'x', customContent })).toMatchObject([
      { code: 'unknown_variable' },
    ]);
  });
});

test('every channel leaves a message without any valid field to its schema', () => {
  for (const channel of CHANNELS)
    for (const value of [null, 5, [], [null], {}])
      expect(
        compileMessage({
          channel,
          message: {
            title: value,
            body: value,
            url: value,
            images: value,
            buttons: value,
            customContent: value,
          } as unknown as PushMessage,
          pointer: '/message',
        }),
      ).toMatchObject({ ok: true });
});

test('comments of Outlook within each other, thousands of them, are read in one pass', () => {
  const levels = 5_000;
  const body = `<p>x</p>${'<!--[if a b]>'.repeat(levels)}{{ user.city }}${'<![endif]'.repeat(levels)}-->`;

  expect(
    compileMessage({ channel: 'EMAIL', message: { title: 'x', body }, pointer: '/message' }),
  ).toMatchObject({
    ok: false,
    errors: [{ code: 'unsafe_place' }],
  });
});
