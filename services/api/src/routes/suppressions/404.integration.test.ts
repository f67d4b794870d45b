import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([systemIds.uuid(), 'x', '%00'])('%s is not a suppression', async (id) => {
  expect((await api.request('DELETE', `suppressions/${id}`, { headers: api.asAdmin })).status).toBe(
    404,
  );
});
