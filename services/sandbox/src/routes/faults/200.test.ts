import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('the faults in force are listed in their order, with how often each struck', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.request('POST', '/api/faults', {
    channel: 'EMAIL',
    kind: 'delay',
    rate: 1,
    delayMs: 0,
  });
  await sandbox.request('POST', '/api/faults', { channel: 'EMAIL', kind: 'reset', rate: 0 });
  await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'));

  const response = await sandbox.request('GET', '/api/faults');

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    faults: [
      { kind: 'delay', struck: 1 },
      { kind: 'reset', struck: 0 },
    ],
  });
});
