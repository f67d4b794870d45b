import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a message cannot be posted: only a provider receives', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('POST', '/api/messages', {});

  expect(response.status).toBe(405);
  expect(response.headers.get('Allow')).toBe('GET, DELETE');
});
