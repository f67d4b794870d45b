import { expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

test('a Server key cannot read the overview', async () => {
  await using api = await startTestApi();

  expect((await api.request('GET', 'overview', { headers: api.asServer })).status).toBe(403);
});
