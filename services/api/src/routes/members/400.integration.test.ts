import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { headers } = await api.signIn('owner');
const VALID = { email: 'ada@example.com', name: 'Ada', role: 'viewer' };

test.each<[string, Record<string, unknown>]>([
  ['/email', { email: 'ada' }],
  ['/email', { email: 'a b@example.com' }],
  ['/email', { email: 'ada@example.com\0' }],
  ['/email', { email: `${'a'.repeat(250)}@example.com` }],
  ['/name', { name: '' }],
  ['/name', { name: 'two\nlines' }],
  ['/name', { name: '\ud800' }],
  ['/role', { role: 'root' }],
  ['/role', { role: null }],
])('%s %j', async (pointer, wrong) => {
  const { status, problem } = await api.request('POST', 'members', {
    headers,
    body: { ...VALID, ...wrong },
  });

  expect(status).toBe(400);
  expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
});

test.each(['short', 'elevenchars', 'x'.repeat(257)])('a password like %s', async (password) => {
  const { problem } = await api.request('POST', 'session/invitation', {
    headers: {},
    body: { token: 'wl_x', name: 'Ada', password },
  });

  expect(problem.errors?.map((error) => error.pointer)).toEqual(['/password']);
  expect(JSON.stringify(problem)).not.toContain(password);
});
