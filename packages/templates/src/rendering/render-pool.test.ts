import { afterEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { RenderFault } from '@tidings/liquid/render-fault';
import { shownBy } from '@tidings/liquid/filling';
import { ADA } from '@tidings/liquid/testing/render';
import type { TemplateUser } from '@tidings/liquid/user-scope';
import { RenderPool, type MessagesToRender, type RenderPoolOptions } from './render-pool.ts';
import { createHook } from 'node:async_hooks';

const WITH_TRAPS = new URL('../testing/thread-with-traps.ts', import.meta.url);

const pools: RenderPool[] = [];

function createPool(options: Partial<RenderPoolOptions> = {}): RenderPool {
  const pool = new RenderPool({ renderMsMax: 200, entry: WITH_TRAPS, ...options });
  pools.push(pool);
  return pool;
}

afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

const named = (...names: string[]) =>
  names.map((firstName) => ({ ...ADA, customUserId: firstName, fields: { firstName } }));

const toRender = (
  body: string,
  users: readonly TemplateUser[] = named('Ada'),
  {
    applicationId = 'a',
    channel = 'SMS',
  }: { readonly applicationId?: string; readonly channel?: Channel } = {},
): MessagesToRender => ({
  applicationId,
  campaignId: 'c1',
  channel,
  message: { key: null, message: { title: 'Hi {{ user.firstName }}', body } as PushMessage },
  users,
});

/** What they say, or why not. */
const bodies = (results: Awaited<ReturnType<RenderPool['render']>>): unknown[] =>
  results.map((result) => (result instanceof RenderFault ? result.message : result.message.body));

/** Only those named Eve. */
const trap = (name: string): string =>
  `{% if user.firstName == 'Eve' %}{{ 'x' | ${name} }}{% endif %}{{ user.firstName }}`;

test('messages and faults come in the order of their users', async () => {
  const users = named('Ada', '', 'Bob');

  const results = await createPool().render(toRender('Dear {{ user.firstName }}', users));

  expect(bodies(results)).toEqual([
    'Dear Ada',
    'missing_variable: user.firstName is missing',
    'Dear Bob',
  ]);
});

test('mails of one structure share one object, from turn to turn and thread to thread', async () => {
  const [first, second] = [createPool(), createPool()];
  const mail = toRender('<p>{{ user.firstName }}</p>', named('Ada', 'Bob'), { channel: 'EMAIL' });

  const results = [...(await first.render(mail)), ...(await first.render(mail))];
  const [other] = await second.render(mail);

  const shared = results.map((each) => ('mailBody' in each ? each.mailBody?.message : null));
  expect(new Set(shared).size).toBe(1);
  expect(results.map((each) => ('mailBody' in each ? each.mailBody?.html : null))).toEqual([
    ['Ada'],
    ['Bob'],
    ['Ada'],
    ['Bob'],
  ]);
  expect(other).toMatchObject({ message: { title: 'Hi Ada' }, mailBody: { text: ['Ada'] } });
});

test('a mail has the format of its message, and shares none of another', async () => {
  const pool = createPool();
  const mail = toRender('<p>{{ user.firstName }}', named('<b>'), { channel: 'EMAIL' });
  const { message } = mail.message;

  const formats = ['text', undefined, 'html'].map((format) => ({
    ...mail,
    message: { key: null, message: { ...message, format } },
  }));
  const results = [];
  for (const each of formats) results.push(...(await pool.render(each)));

  expect(
    results.map((each) =>
      'mailBody' in each ? [each.mailBody?.message.format, each.mailBody?.html] : each,
    ),
  ).toEqual([
    ['text', ['<b>']],
    [undefined, ['&lt;b&gt;']],
    ['html', ['&lt;b&gt;']],
  ]);
});

test('a user whose values do not fit into JavaScript numbers is rendered', async () => {
  const users = [{ ...ADA, customAttributes: { big: 9_007_199_254_740_993n } }];

  const results = await createPool().render(toRender('{{ user.customAttributes.big }}', users));

  expect(bodies(results)).toEqual(['9007199254740993']);
});

test('it names the custom attributes that messages show', async () => {
  const ask = async (...texts: string[]) =>
    shownBy(
      (await createPool().listVariables({
        applicationId: 'a',
        channel: 'SMS',
        messages: texts.map((body) => ({ key: null, message: { body } })),
      })) ?? [],
    ).attributes;

  expect(
    await ask('{{ user.customAttributes.plan }}', '{{ user.customAttributes["first name"] }}'),
  ).toEqual(['first name', 'plan']);
  expect(await ask('{{ user.customAttributes[user.city] }}')).toBeNull();
});

test('it names the variables that messages show once, and whether one requires them', async () => {
  const variables = await createPool().listVariables({
    applicationId: 'a',
    channel: 'SMS',
    messages: [
      '{{ user.city | default: "x" }}',
      '{{ user.city }}',
      '{{ user.city | default: "" }}',
    ].map((body) => ({ key: null, message: { body } })),
  });

  expect(variables).toEqual([
    { name: 'user.city', path: ['user', 'city'], isRequired: true, isNumber: false },
  ]);
});

test('a job that no thread can take is rejected, and the next one runs', async () => {
  const pool = createPool();
  let deep: object = {};
  for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
  const check = (message: object) =>
    pool.check('a', { channel: 'SMS', message: message as PushMessage, pointer: '/message' });

  await expect(check({ body: 'x', customContent: deep })).rejects.toThrow();
  expect(await check({ body: 'x' })).toEqual({ ok: true, variables: [], expanded: [] });
});

test('it checks a message', async () => {
  const check = (body: string) =>
    createPool().check('a', { channel: 'SMS', message: { body }, pointer: '/message' });

  expect(await check('{{ user.city }}')).toEqual({
    ok: true,
    variables: [{ name: 'user.city', path: ['user', 'city'], isRequired: true, isNumber: false }],
    expanded: [],
  });
  expect(await check('{{ nope }}')).toMatchObject({
    ok: false,
    errors: [{ pointer: '/message/body', code: 'unknown_variable' }],
  });
});

test('it converts HTML to plain text', async () => {
  const html = '<p>Dear <b>Ada</b></p><p>\uFDD0v0\uFDD1</p>';

  expect(await createPool().toPlainText({ applicationId: 'a', html })).toBe(
    'Dear Ada\n\n\uFDD0v0\uFDD1',
  );
});

describe('a message that would end the process', () => {
  test.each([
    ['never_ends', 'limit: takes too long', {}],
    ['fills_the_memory', 'limit: too much memory', { renderMsMax: 30_000 }],
    ['ends_the_thread', 'limit: ended its thread', {}],
  ])('%s: its user fails, the others get theirs', async (name, fault, options) => {
    const users = named('Ada', 'Eve', 'Bob', 'Eve', 'Cid');
    const told: string[] = [];
    const pool = createPool({ ...options, onOverrun: (detail) => told.push(`limit: ${detail}`) });

    const results = await pool.render(toRender(trap(name), users));

    expect(bodies(results)).toEqual(['Ada', fault, 'Bob', fault, 'Cid']);
    expect(told).toEqual([fault, fault]);
  });

  test('a fault of the program is thrown, and the thread goes on', async () => {
    const pool = createPool({ threadsMax: 1 });

    await expect(pool.render(toRender(trap('throws'), named('Eve')))).resolves.toEqual([
      expect.objectContaining({ code: 'failed' }),
    ]);
    // By name: with modules of its own, this file has another TypeError than the pool.
    await expect(pool.render({ ...toRender('x'), users: [null as never] })).rejects.toMatchObject({
      name: 'TypeError',
    });
    expect(bodies(await pool.render(toRender('{{ user.firstName }}')))).toEqual(['Ada']);
  });
});

test('beside an application whose messages never end, another waits for none of them', async () => {
  const pool = createPool();
  // Both threads have started: that takes longer than what never ends may.
  await Promise.all(
    ['a', 'b'].map((applicationId) => pool.render(toRender('x', undefined, { applicationId }))),
  );
  const order: string[] = [];
  const poisonous = Array.from({ length: 3 }, async () => {
    await pool.render(toRender(trap('never_ends'), named('Eve')));
    order.push('a');
  });

  const results = await pool.render(
    toRender('{{ user.firstName }}', undefined, { applicationId: 'b' }),
  );
  order.push('b');
  await Promise.all(poisonous);

  expect(bodies(results)).toEqual(['Ada']);
  expect(order).toEqual(['b', 'a', 'a', 'a']);
});

test('an application alone starts one thread, however much of it waits', async () => {
  const pool = createPool();
  let started = 0;
  // Not an event of `process`: with modules of its own, this file has a copy of that.
  const counting = createHook({
    init: (_id, type) => {
      if (type === 'WORKER') started += 1;
    },
  }).enable();

  try {
    await Promise.all(Array.from({ length: 3 }, () => pool.render(toRender('x'))));
  } finally {
    counting.disable();
  }

  expect(started).toBe(1);
});

test('what waits when it is closed is rejected', async () => {
  const pool = createPool({ threadsMax: 1 });
  const waiting = [trap('never_ends'), 'x'].map((body) =>
    expect(pool.render(toRender(body, named('Eve')))).rejects.toThrow('rendering has ended'),
  );

  await pool.close();

  await Promise.all(waiting);
});
