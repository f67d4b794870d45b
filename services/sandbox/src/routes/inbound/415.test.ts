import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a form of another site cannot speak for a phone: only JSON is read', async () => {
  await using sandbox = await startTestSandbox();

  const response = await fetch(`${sandbox.url}/api/inbound`, {
    method: 'POST',
    body: new URLSearchParams({ from: '+4915112345001', body: 'STOP' }),
  });

  expect(response.status).toBe(415);
});
