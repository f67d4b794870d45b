import { expect, test } from '@jest/globals';
import { CONNECTION, connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each(["http://a'; script-src *", 'javascript:1', 'http://a/b', ''])(
  'an address of the service that is no scheme and host is refused: %j',
  async (baseUrl) => {
    await using sandbox = await startTestSandbox();

    const answer = await connectShop(sandbox, { baseUrl });

    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'validation_failed',
        errors: [expect.objectContaining({ pointer: '/baseUrl' })],
      }),
    ]);
  },
);

test.each([
  ['sign-in', {}],
  ['sign-in', { customUserId: '' }],
  ['send', { channel: 'SMS', customUserId: 'ada', body: 'x' }],
  ['send', { channel: 'ON_SITE', customUserId: 'ada', body: '' }],
])('%s with %j is refused', async (path, body) => {
  await using sandbox = await startTestSandbox();
  await sandbox.request('PUT', '/api/shop', CONNECTION);

  expect((await sandbox.request('POST', `/shop/${path}`, body)).status).toBe(400);
});
