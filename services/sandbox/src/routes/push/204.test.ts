import { expect, test } from '@jest/globals';
import { subscribeAt } from '../../testing/push-clients.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('devices are unregistered, and once more when asked again', async () => {
  await using sandbox = await startTestSandbox();
  const { subscriptionId } = await subscribeAt(sandbox);

  for (const path of [`/push/subscriptions/${subscriptionId}`, '/push/tokens/phone-1']) {
    for (let times = 0; times < 2; times += 1)
      expect((await sandbox.request('DELETE', path)).status).toBe(204);
  }
});
