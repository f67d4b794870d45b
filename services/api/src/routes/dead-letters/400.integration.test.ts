import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([
  ['status=done', '/status'],
  ['cursor=x', '/cursor'],
  ['limit=501', '/limit'],
])('dead-letters?%s is an error of %s', async (query, pointer) => {
  const { status, problem } = await api.request('GET', `dead-letters?${query}`, {
    headers: api.asAdmin,
  });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
});
