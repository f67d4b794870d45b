import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('acts are not listed', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/acts');

  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
});
