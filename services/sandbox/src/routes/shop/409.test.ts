import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a shop without an application says how to give it one', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await sandbox.request('GET', '/shop/');

  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('PUT /api/shop') }),
  ]);
});
