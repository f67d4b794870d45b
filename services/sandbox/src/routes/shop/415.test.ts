import { expect, test } from '@jest/globals';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('what a page of another origin could send without asking is not taken', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  const answer = await fetch(`${sandbox.url}/shop/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
  });

  expect(answer.status).toBe(415);
});
