import { afterAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { FIELD_ERRORS_MAX } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { checkContent, checkMessages, type SubmittedContent } from './check-content.ts';
import { checkMessage } from './check-message.ts';
import { findKeyFaults } from './message-keys.ts';
import { renderPool } from './rendering/process-pool.ts';

afterAll(() => renderPool.close());

const MANY = 5_000;
const texts = (count: number, text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, text]));

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

test('messages of an automation without an event name none, by a block either', async () => {
  const blocks = { sorry: { html: null, text: 'x {{ event.name }}', version: 1 } };
  const check = async (textOf: 'run' | 'event', body: string) => {
    const submitted = { channel: 'SMS', message: { body }, textOf } as const;
    const messages = await checkMessages('a', submitted, blocks);
    return checkContent(messages, {} as ConditionContext);
  };

  expect(await check('run', '{{ run.id }}')).toMatchObject({ ok: true });
  expect(await check('event', '{% block "sorry" %}')).toMatchObject({ ok: true });
  expect(await check('run', '{% block "sorry" %}')).toMatchObject({
    errors: [
      {
        pointer: '/message/body',
        code: 'unknown_variable',
        expected:
          'one of user, campaign, run: the trigger has no event, in line 1, column 6 of the block sorry',
      },
    ],
  });
});

describe('the content of a template with blocks', () => {
  const BLOCKS = {
    footer: { html: '<p>Shop, {{ user.city }}</p>', text: 'Shop, {{ user.city }}', version: 3 },
    link: { html: null, text: 'javascript:alert(1)', version: 3 },
  };
  const check = async (channel: Channel, message: object) =>
    checkContent(await checkMessages('a', { channel, message }, BLOCKS), {} as ConditionContext);

  test('is stored as it is sent, and as it was written', async () => {
    const message = { title: 'Hi', body: '<p>{% block "footer" %}' };

    expect(await check('EMAIL', message)).toMatchObject({
      ok: true,
      content: { message: { title: 'Hi', body: '<p><p>Shop, {{ user.city }}</p>' } },
      source: { message },
    });
  });

  test('without a block it is stored as it is', async () => {
    expect(await check('EMAIL', { body: 'x' })).toMatchObject({ ok: true, source: null });
  });

  test('a link of blocks alone is what its channel allows', async () => {
    const checked = await check('WEB_PUSH', { body: 'x', url: '{% block "link" %}' });

    expect(!checked.ok && checked.errors).toMatchObject([{ pointer: '/message/url' }]);
  });
});
