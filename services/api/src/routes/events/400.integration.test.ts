import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([
  ['type=user', '/type'],
  ['type=Action', '/type'],
  ['from=yesterday', '/from'],
  ['from=-1', '/from'],
  ['from=1.5', '/from'],
  ['to=8640000000000001', '/to'],
  ['requestId=x', '/requestId'],
  ['definition=%00', '/definition'],
  ['definition=a&definition=b', '/definition'],
  ['limit=501', '/limit'],
  ['cursor=x', '/cursor'],
])('GET events?%s', async (query, pointer) => {
  const { status, problem } = await api.request('GET', `events?${query}`, {
    headers: api.asServer,
  });

  expect(status).toBe(400);
  expect(problem).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer, expected: expect.any(String) }],
  });
});
