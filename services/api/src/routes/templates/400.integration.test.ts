import { afterAll, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer } = api;
const ok = { name: 'x', channel: 'EMAIL', message: { body: 'x' } };
const german = { name: 'x', condition: { field: 'country', is: 'DE' }, message: { body: 'x' } };

test.each([
  ['an empty body', {}, ['/channel required', '/message required', '/name required']],
  ['a blank name', { ...ok, name: ' ' }, ['/name invalid_value']],
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

test('POST templates/preview finds the same faults', async () => {
  const { status, problem } = await api.request('POST', 'templates/preview', {
    headers: asServer,
    body: { channel: 'EMAIL', message: { body: '{{ x }}' }, customUserId: 'ada' },
  });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([{ pointer: '/message/body', code: 'unknown_variable' }]);
});
