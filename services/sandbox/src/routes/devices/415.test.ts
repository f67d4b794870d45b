import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('what a page of another origin could send without asking is not taken', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await fetch(`${sandbox.url}/api/devices`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
  });

  expect(answer.status).toBe(415);
});
