import { describe, expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { FIELD_ERRORS_MAX } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import { checkMessage } from './check-message.ts';
import { checkContent, checkMessages, type SubmittedContent } from './check-content.ts';
import { compileMessage } from './compile-message.ts';
import { findKeyFaults } from './message-keys.ts';

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

  test('levels beyond the limit are left out of a copy for a thread', async () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    let deepest: object = { text: '{{ nope }}' };
    // The message, customContent and this are the first three.
    for (let level = 3; level < LIMITS.messageDepthMax; level += 1) deepest = { a: deepest };
    const customContent = { deep, deepest, long: 'x'.repeat(64 * 1024) };

    expect(
      await checkMessage('a', {
        channel: 'APP_PUSH',
        message: { body: 'x', customContent },
        pointer: '/message',
      }),
    ).toMatchObject({ ok: false, errors: [{ code: 'unknown_variable' }] });
  });

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

describe('the keys of a message', () => {
  const { messageKeysMax } = LIMITS;
  const fault = (field: string) => ({
    pointer: `/message/${field}`,
    code: 'too_many',
    expected: `at most ${messageKeysMax} keys, with those of objects within it`,
  });

  test.each([
    ['as many as may be', texts(messageKeysMax, 'x'), []],
    ['one more', texts(messageKeysMax + 1, 'x'), [fault('body')]],
    ['one more in an object within', { a: texts(messageKeysMax, 'x') }, [fault('body')]],
    ['one more in a list', { a: [{ b: texts(messageKeysMax - 1, 'x') }] }, [fault('body')]],
    ['a list, which has none', { a: Array.from({ length: MANY }, () => 1) }, []],
    ['text', 'x', []],
  ])('%s', (_what, body, faults) => {
    expect(findKeyFaults({ body }, '/message')).toEqual(faults);
  });

  test('a list of objects is left to its schema', () => {
    const images = Array.from({ length: MANY }, () => ({ url: 'https://a.example/' }));

    expect(findKeyFaults({ images }, '/message')).toEqual([]);
  });
});

describe('the content of a template', () => {
  const context = {} as Parameters<typeof checkContent>[1];
  const check = async (content: object) => {
    const messages = await checkMessages('a', content as SubmittedContent, {});
    const checked = checkContent(messages, context);
    return checked.ok ? [] : checked.errors;
  };
  const nested = (levels: number): object => {
    let value = {};
    for (let level = 0; level < levels; level += 1) value = { a: value };
    return value;
  };

  test('has one fault for too many keys', async () => {
    const customContent = { a: texts(MANY, '{{ nope }}') };

    expect(
      await check({ channel: 'APP_PUSH', message: { body: 'x', customContent } }),
    ).toMatchObject([{ pointer: '/message/customContent', code: 'too_many' }]);
  });

  test('has a bounded number of faults, however many variants have some', async () => {
    const message = { body: 'x', customContent: texts(200, '{{ nope }}') };
    const variants = Array.from({ length: LIMITS.templateVariantsMax }, (_, index) => ({
      name: `v${index}`,
      condition: {},
      message,
    }));

    expect(await check({ channel: 'APP_PUSH', message, variants })).toHaveLength(
      FIELD_ERRORS_MAX + 1,
    );
  });

  test('a long message is checked as a short one is', async () => {
    const long = { body: `${'x'.repeat(64 * 1024)}{{ nope }}` };
    const right = { body: `${'x'.repeat(64 * 1024)}{{ user.city }}` };
    const variants = [{ name: 'a', condition: {}, message: long }];

    expect(await check({ channel: 'EMAIL', message: long })).toMatchObject([
      { pointer: '/message/body', code: 'unknown_variable', line: 1, column: 65_540 },
    ]);
    expect(await check({ channel: 'IN_APP', message: right, variants })).toMatchObject([
      { pointer: '/variants/0/condition' },
      { pointer: '/variants/0/message/body', code: 'unknown_variable', line: 1, column: 65_540 },
    ]);
  });

  test.each([
    ['message', { message: { body: 'x', customContent: nested(100_000) } }],
    [
      'condition',
      { variants: [{ name: 'a', condition: nested(100_000), message: { body: 'x' } }] },
    ],
  ])('%s of any depth is a fault', async (_what, content) => {
    const errors = await check({ channel: 'APP_PUSH', message: { body: 'x' }, ...content });

    expect(errors.map(({ code }) => code)).toEqual(['too_deep']);
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
