import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('a delivery received twice counts one repetition', async () => {
  await using sandbox = await startTestSandbox();
  for (const deliveryId of ['d1', 'd2', 'd1'])
    await sandbox.send(campaignMail('ann@example.com', 'c1', deliveryId));
  await sandbox.send(campaignMail('ann@example.com', 'c2', 'd9'));

  expect(await sandbox.counts('?channel=EMAIL&campaignId=c1')).toEqual({
    total: 3,
    unique: 2,
    repeated: 1,
  });
  expect(await sandbox.counts()).toEqual({ total: 4, unique: 3, repeated: 1 });
  expect(await sandbox.counts('?campaignId=unknown')).toEqual({ total: 0, unique: 0, repeated: 0 });
});

test('an unknown channel is rejected', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/messages/counts?channel=FAX');

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errors: [{ pointer: '/channel', code: 'invalid_value' }],
  });
});

test('counts can only be read', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('DELETE', '/api/messages/counts')).status).toBe(405);
});
