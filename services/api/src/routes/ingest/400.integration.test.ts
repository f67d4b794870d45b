import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([
  ['outcome=lost', '/outcome'],
  ['outcome=held&outcome=pending', '/outcome'],
  ['reason=because', '/reason'],
  ['reason=toString', '/reason'],
  ['requestId=x', '/requestId'],
  ['limit=0', '/limit'],
  ['limit=501', '/limit'],
  ['cursor=x', '/cursor'],
  [`cursor=1_${'-'.repeat(36)}_0`, '/cursor'],
  [`cursor=1_${systemIds.uuid()}_-2`, '/cursor'],
  [`cursor=9999999999999999_${systemIds.uuid()}_0`, '/cursor'],
])('GET ingest?%s', async (query, pointer) => {
  const { status, problem } = await api.request('GET', `ingest?${query}`, {
    headers: api.asServer,
  });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
});
