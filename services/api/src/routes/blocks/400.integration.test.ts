import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;
const LONG = 'x'.repeat(LIMITS.blockCharsMax + 1);
const put = (path: string, body: unknown) => api.request('PUT', path, { headers, body });
const faultsOf = async (body: unknown, slug = 'own') => {
  const { status, problem } = await put(`blocks/${slug}`, body);
  return [status, problem.errors] as const;
};

test.each([
  ['no text', { name: 'x' }, '/html', 'required', null],
  ['null as both texts', { name: 'x', html: null, text: null }, '/html', 'required', null],
  ['an empty text', { name: 'x', text: '' }, '/text', 'empty', null],
  ['a number', { name: 'x', text: 5 }, '/text', 'wrong_type', null],
  ['U+0000', { name: 'x', html: 'a\0' }, '/html', 'invalid_value', null],
  ['more than the limit', { name: 'x', html: LONG }, '/html', 'too_long', null],
  ['a blank name', { name: ' ', text: 'x' }, '/name', 'invalid_value', null],
  ['a field that is none', { name: 'x', text: 'x', slug: 'x' }, '/slug', 'invalid_value', null],
  ['no end', { name: 'x', text: 'a\n {% if user.city %}' }, '/text', 'template_syntax', '2:2'],
  ['no beginning', { name: 'x', html: '{% endif %}' }, '/html', 'template_syntax', '1:1'],
  ['an open raw text', { name: 'x', text: '{% raw %}x' }, '/text', 'template_syntax', '1:10'],
  ['a block', { name: 'x', text: 'a {% block "b" %}' }, '/text', 'template_syntax', '1:3'],
  ['itself', { name: 'x', text: '{% block "own" %}' }, '/text', 'template_syntax', '1:1'],
  ['a value in a tag', { name: 'x', html: '<p\n{{ user.city }}>' }, '/html', 'unsafe_place', '2:1'],
])('a block does not have %s', async (_what, body, pointer, code, place) => {
  const [status, errors] = await faultsOf(body);

  expect(status).toBe(400);
  expect(
    errors?.map((each) => [each.pointer, each.code, each.line && `${each.line}:${each.column}`]),
  ).toEqual([[pointer, code, place ?? undefined]]);
});

test.each(['UPPER', '-a', 'a.b'])('%s is no slug', async (slug) => {
  expect(await faultsOf({ name: 'x', text: 'x' }, slug)).toMatchObject([
    400,
    [{ pointer: '/slug' }],
  ]);
});

describe('a change that breaks a template', () => {
  const link = 'https://shop.example/';
  beforeAll(async () => {
    await put('blocks/footer', { name: 'Footer', html: '<p>x</p>', text: link });
    const twice = '{% block "footer" %}{% block "footer" %}';
    for (const [slug, channel, message] of [
      ['mail', 'EMAIL', { title: 'x', body: '<p>\n{% block "footer" %}{{ user.city }}</p>' }],
      ['note', 'EMAIL', { title: 'x', body: '<p>x</p><!-- {% block "footer" %} -->' }],
      ['text', 'SMS', { body: twice }],
      ['web', 'WEB_PUSH', { body: 'x', url: '{% block "footer" %}' }],
    ] as const)
      await put(`templates/${slug}`, { name: slug, channel, message });
  });

  test.each([
    [
      'without its HTML',
      { text: link },
      { pointer: '/html', code: 'invalid_value' },
      'a block with HTML, in the template mail: body, line 2, column 1',
    ],
    [
      'with a comment around a value',
      { text: link, html: '<!-- ' },
      { pointer: '/html', code: 'unsafe_place' },
      'an output in text or in an attribute value in quotes, in the template mail: body, line 2, column 21',
    ],
    [
      'with a value in what is a comment there',
      { text: link, html: '<p>\n{{ user.city }}</p>' },
      { pointer: '/html', code: 'unsafe_place', line: 2, column: 1 },
      'an output in text or in an attribute value in quotes, in the template note',
    ],
    [
      'with a link that its channel does not allow',
      { html: '<p>x</p>', text: 'javascript:' },
      { pointer: '/text', code: 'invalid_value' },
      ', in the template web: url',
    ],
    [
      'with more outputs than a message may have',
      { html: '<p>x</p>', text: '{{ user.city }}'.repeat(4_000) },
      { pointer: '/text', code: 'too_many', line: 1, column: 1 },
      'at most 5000 outputs and tags, in the template text',
    ],
  ])('%s is refused, with the template and the place', async (_what, texts, fault, expected) => {
    const [status, errors] = await faultsOf({ name: 'Footer', ...texts }, 'footer');

    expect(status).toBe(400);
    expect(errors).toMatchObject([{ ...fault, expected: expect.stringContaining(expected) }]);
    for (const path of ['blocks/footer', 'templates/mail', 'templates/text', 'templates/web'])
      expect((await api.request('GET', path, { headers })).body).toMatchObject({ version: 1 });
  });
});

test('a template names blocks that there are', async () => {
  const template = { name: 'x', channel: 'SMS', message: { body: 'a\n{% block "nosuch" %}' } };

  const { status, problem } = await put('templates/x', template);

  expect(status).toBe(400);
  expect(problem.errors).toEqual([
    {
      pointer: '/message/body',
      code: 'invalid_value',
      expected: 'a block that exists',
      line: 2,
      column: 1,
    },
  ]);
});

test('a message of a push names none', async () => {
  const body = {
    recipients: ['ada'],
    channel: 'SMS',
    personalize: true,
    message: { body: '{% block "footer" %}' },
  };

  const { status, problem } = await api.request('POST', 'campaigns', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([
    { pointer: '/message/body', expected: 'a block in the text of a template alone' },
  ]);
});
