import { expect, test } from '@jest/globals';
import { startSdkFiles } from '../../testing/test-sdk-files.ts';

test('the files can only be read', async () => {
  await using server = await startSdkFiles();

  const answer = await fetch(`${server.url}/sdk/v1/sdk.js`, { method: 'POST' });

  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET']);
});
