import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('without its faults the provider behaves well again', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.request('POST', '/api/faults', { channel: 'EMAIL', kind: 'reject', rate: 1 });

  const response = await sandbox.request('DELETE', '/api/faults');

  expect(response.status).toBe(204);
  expect(await (await sandbox.request('GET', '/api/faults')).json()).toEqual({ faults: [] });
  expect((await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'))).response).toMatch(
    /^250 /,
  );
});
