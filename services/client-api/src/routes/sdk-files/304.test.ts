import { expect, test } from '@jest/globals';
import { startSdkFiles } from '../../testing/test-sdk-files.ts';

test('who has this version gets nothing again, who has another gets it all', async () => {
  await using server = await startSdkFiles();
  const get = (headers: Readonly<Record<string, string>>) =>
    server.getRaw('/sdk/v1/sdk.js', headers);
  const { etag = '' } = (await get({})).headers;

  const same = await get({ 'If-None-Match': etag });
  const other = await get({ 'If-None-Match': 'W/"of-another-version"' });

  expect([same.status, same.body.toString(), same.headers.etag]).toEqual([304, '', etag]);
  expect([other.status, other.body.toString()]).toEqual([200, server.files['sdk.js']]);
});
