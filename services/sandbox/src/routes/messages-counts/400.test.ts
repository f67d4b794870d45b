import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('an unknown channel is refused', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/messages/counts?channel=FAX');

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errors: [{ pointer: '/channel', code: 'invalid_value' }],
  });
});
