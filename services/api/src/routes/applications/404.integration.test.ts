import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([systemIds.uuid(), 'x', '%00'])('%s is not an application', async (id) => {
  expect((await api.request('GET', `applications/${id}`, { headers: api.asAdmin })).status).toBe(
    404,
  );
  expect(
    (
      await api.request('PATCH', `applications/${id}`, {
        headers: api.asAdmin,
        body: { name: 'x' },
      })
    ).status,
  ).toBe(404);
});
