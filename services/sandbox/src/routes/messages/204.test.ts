import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('deleted messages are gone, also after a restart, and new ones are kept', async () => {
  await using first = await startTestSandbox();
  await first.send(campaignMail('ann@example.com', 'c1', 'd1'));

  const response = await first.request('DELETE', '/api/messages');
  await first.send(campaignMail('bob@example.com', 'c1', 'd2'));
  const counts = await first.counts();
  await first.stop();
  await using second = await startTestSandbox({ dataDir: first.dataDir });

  expect(response.status).toBe(204);
  expect(counts).toEqual({ total: 1, unique: 1, repeated: 0 });
  expect((await second.messages()).messages.map(({ to }) => to)).toEqual(['bob@example.com']);
});
