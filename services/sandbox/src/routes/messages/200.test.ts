import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('an empty sandbox has no messages', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/messages');

  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(await response.json()).toEqual({ count: 0, messages: [] });
});

test('the newest come first, and count counts all that match', async () => {
  await using sandbox = await startTestSandbox();
  for (const name of ['ann', 'bob', 'cid'])
    await sandbox.send(campaignMail(`${name}@example.com`, 'c1', name));
  await sandbox.send(campaignMail('ann@example.com', 'c2', 'other'));

  const two = await sandbox.messages('?campaignId=c1&limit=2');
  const ann = await sandbox.messages('?channel=EMAIL&to=ANN@example.com&campaignId=');

  expect(two.count).toBe(3);
  expect(two.messages.map(({ to }) => to)).toEqual(['cid@example.com', 'bob@example.com']);
  expect(ann.messages.map(({ campaignId }) => campaignId)).toEqual(['c2', 'c1']);
  expect(await sandbox.messages('?channel=SMS')).toEqual({ count: 0, messages: [] });
});
