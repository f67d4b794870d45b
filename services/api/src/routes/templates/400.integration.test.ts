import { afterAll, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer } = api;
const ok = { name: 'x', channel: 'EMAIL', message: { body: 'x' } };
const german = { name: 'x', condition: { field: 'country', is: 'DE' }, message: { body: 'x' } };

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

test.each([
  ['an empty body', {}, ['/channel required', '/message required', '/name required']],
  ['a blank name', { ...ok, name: ' ' }, ['/name invalid_value']],
  ['a name of null', { ...ok, name: null }, ['/name wrong_type']],
  ['an empty name', { ...ok, name: '' }, ['/name empty']],
  ['a long name', { ...ok, name: 'x'.repeat(257) }, ['/name too_long']],
  ['U+0000 in its name', { ...ok, name: 'a\0' }, ['/name invalid_value']],
  ['a list', [ok], ['wrong_type']],
  ['a field that is none', { ...ok, slug: 'own' }, ['/slug invalid_value']],
  ['a channel of null', { ...ok, channel: null }, ['/channel wrong_type']],
  ['a message as text', { ...ok, message: 'x' }, ['/message wrong_type']],
  ['a message of null', { ...ok, message: null }, ['/message wrong_type']],
  ['a version as text', { ...ok, expectedVersion: '1' }, ['/expectedVersion wrong_type']],
  ['a version below 0', { ...ok, expectedVersion: -1 }, ['/expectedVersion out_of_range']],
  ['half a version', { ...ok, expectedVersion: 0.5 }, ['/expectedVersion wrong_type']],
  ['variants as an object', { ...ok, variants: german }, ['/variants wrong_type']],
  ['a variant as text', { ...ok, variants: ['x'] }, ['/variants/0 wrong_type']],
  [
    'an empty variant',
    { ...ok, variants: [{}] },
    ['/variants/0/condition required', '/variants/0/message required', '/variants/0/name required'],
  ],
  [
    'a variant without a name',
    { ...ok, variants: [{ ...german, name: ' ' }] },
    ['/variants/0/name invalid_value'],
  ],
  [
    'a variant of its own channel',
    { ...ok, variants: [{ ...german, channel: 'SMS' }] },
    ['/variants/0/channel invalid_value'],
  ],
  [
    'a condition as text',
    { ...ok, variants: [{ ...german, condition: 'DE' }] },
    ['/variants/0/condition wrong_type'],
  ],
  [
    'an unknown segment in a condition',
    { ...ok, variants: [{ ...german, condition: { not: { segment: 'nosuch' } } }] },
    ['/variants/0/condition/not/segment invalid_value'],
  ],
  [
    'a variant without a body',
    { ...ok, variants: [{ ...german, message: { title: 'x' } }] },
    ['/variants/0/message/body required'],
  ],
  [
    'more content than the limit, as it is stored',
    `{"name":"x","channel":"APP_PUSH","message":{"body":"x","customContent":{"a":[${'1e20,'.repeat(60_000)}1]}}}`,
    ['/variants too_long'],
  ],
  [
    'more text than the limit',
    { ...ok, message: { body: `${'x'.repeat(LIMITS.templateBytesMax)}{{ user.city }}` } },
    ['/message/body too_long'],
  ],
  [
    'objects within objects',
    { ...ok, channel: 'APP_PUSH', message: { body: 'x', customContent: nested(40) } },
    [`/message/customContent${'/a'.repeat(LIMITS.messageDepthMax)} too_deep`],
  ],
  [
    'a prototype',
    { ...ok, message: { body: '{{ user.__proto__ }}' } },
    ['/message/body unknown_variable 1:4'],
  ],
  ['no channel of this name', { ...ok, channel: 'FAX' }, ['/channel invalid_value']],
  ['a message without a body', { ...ok, message: {} }, ['/message/body required']],
  ['an empty body of a message', { ...ok, message: { body: '' } }, ['/message/body empty']],
  [
    'a number as a title',
    { ...ok, message: { body: 'x', title: 1 } },
    ['/message/title wrong_type'],
  ],
  [
    'an unknown field',
    { ...ok, message: { body: 'x', colour: 1 } },
    ['/message/colour invalid_value'],
  ],
  [
    'a field of another channel',
    { ...ok, message: { body: 'x', url: 'https://x' } },
    ['/message/url invalid_value'],
  ],
  ['NUL', { ...ok, message: { body: 'x\0' } }, ['/message/body nul_not_allowed']],
  ['half a character', { ...ok, message: { body: '\ud800' } }, ['/message/body invalid_value']],
  [
    'a link that is none',
    { ...ok, channel: 'WEB_PUSH', message: { body: 'x', url: 'javascript:x' } },
    ['/message/url invalid_value'],
  ],
  [
    'Liquid that cannot be read',
    { ...ok, message: { body: '{% if %}', title: '{{ x }}' } },
    ['/message/body template_syntax 1:6', '/message/title unknown_variable 1:4'],
  ],
  [
    'a value in a script',
    { ...ok, message: { body: '<p>\n<script>{{ user.city }}</script>' } },
    ['/message/body unsafe_place 2:9'],
  ],
  [
    'a fault in a variant',
    { ...ok, variants: [german, { ...german, message: { body: '{{ x }}' } }] },
    ['/variants/1/message/body unknown_variable 1:4'],
  ],
  [
    'a fault in a condition',
    { ...ok, variants: [{ ...german, condition: { all: [{}] } }] },
    ['/variants/0/condition/all/0 exactly_one_of'],
  ],
  [
    'many variants',
    { ...ok, variants: Array.from({ length: LIMITS.templateVariantsMax + 1 }, () => german) },
    ['/variants too_many'],
  ],
])('PUT templates/{slug} with %s', async (_what, body, faults) => {
  const { status, problem } = await api.request('PUT', 'templates/own', { headers, body });

  expect(status).toBe(400);
  expect(
    problem.errors
      ?.map(({ pointer, code, line, column }) =>
        `${pointer} ${code} ${line === undefined ? '' : `${line}:${column}`}`.trim(),
      )
      .toSorted(),
  ).toEqual(faults);
});

test('nothing is stored of it', async () => {
  expect((await api.request('GET', 'templates', { headers: asServer })).body['items']).toEqual([]);
});

test.each([
  [{ ...ok, channel: undefined, name: undefined }, ['/channel required']],
  [ok, ['/name invalid_value']],
  [{ ...ok, name: undefined, customUserId: 5 }, ['/customUserId wrong_type']],
  [{ ...ok, name: undefined, customUserId: 'u'.repeat(257) }, ['/customUserId too_long']],
  [{ ...ok, name: undefined, customUserId: '\0' }, ['/customUserId invalid_value']],
])('POST templates/preview of %j', async (body, faults) => {
  const { status, problem } = await api.request('POST', 'templates/preview', {
    headers: asServer,
    body,
  });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
});

test('POST templates/preview finds the same faults', async () => {
  const { status, problem } = await api.request('POST', 'templates/preview', {
    headers: asServer,
    body: { channel: 'EMAIL', message: { body: '{{ x }}' }, customUserId: 'ada' },
  });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([{ pointer: '/message/body', code: 'unknown_variable' }]);
});

test.each(['No%20slug', '-first', 'x'.repeat(65), '%D7%A9%D7%9D', 'a%2Fb'])(
  'PUT templates/%s, which is no slug',
  async (slug) => {
    const body = { name: 'x', channel: 'SMS', message: { body: 'x' } };
    const { status, problem } = await api.request('PUT', `templates/${slug}`, { headers, body });

    expect(status).toBe(400);
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [
        {
          pointer: '/slug',
          code: 'invalid_value',
          expected:
            'up to 64 lower-case letters, digits and hyphens, beginning with a letter or digit',
        },
      ],
    });
  },
);
