import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a fault cannot be changed, only added or removed with all others', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('PATCH', '/api/faults', {});

  expect(response.status).toBe(405);
  expect(response.headers.get('Allow')).toBe('GET, POST, DELETE');
});
