import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([[{ applicationServerKey: 'short' }], [{ applicationServerKey: 5 }]])(
  'a browser that subscribes with %j is refused',
  async (body) => {
    await using sandbox = await startTestSandbox();

    const answer = await sandbox.request('POST', '/push/subscriptions', body);

    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [expect.objectContaining({ pointer: '/applicationServerKey' })],
      }),
    ]);
  },
);
