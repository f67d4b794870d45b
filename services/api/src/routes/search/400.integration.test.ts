import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([
  ['no q', 'search', 'required'],
  ['an empty one', 'search?q=', 'required'],
  ['spaces', 'search?q=%20%E3%80%80', 'invalid_value'],
  ['U+0000', 'search?q=a%00b', 'nul_not_allowed'],
  ['201 characters', `search?q=${'x'.repeat(201)}`, 'too_long'],
  ['two of them', 'search?q=a&q=b', 'wrong_type'],
])('GET search with %s is rejected at /q', async (_name, path, code) => {
  const { status, problem } = await api.request('GET', path, { headers: api.asServer });

  expect([status, problem.code]).toEqual([400, 'validation_failed']);
  expect(problem.errors).toMatchObject([{ pointer: '/q', code }]);
});

test('GET search with an unknown parameter is rejected', async () => {
  const { problem } = await api.request('GET', 'search?q=a&kind=user', { headers: api.asServer });

  expect(problem.errors).toMatchObject([{ pointer: '/kind' }]);
});

test.each(['x'.repeat(200), '冬'.repeat(200), '👩'.repeat(200)])(
  'GET search with 200 characters is answered',
  async (q) => {
    const path = `search?q=${encodeURIComponent(q)}`;

    expect(await api.request('GET', path, { headers: api.asServer })).toMatchObject({
      status: 200,
      body: { items: [], incomplete: [] },
    });
  },
);
