import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('an empty sandbox has no messages', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/messages');

  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(await response.json()).toEqual({ count: 0, messages: [] });
});

test('lists the newest first, and counts all matches', async () => {
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

test.each([
  { query: 'channel=email', pointer: '/channel', code: 'invalid_value' },
  { query: 'limit=0', pointer: '/limit', code: 'out_of_range' },
  { query: 'limit=501', pointer: '/limit', code: 'out_of_range' },
  { query: 'limit=many', pointer: '/limit', code: 'wrong_type' },
  { query: 'to=a@b.example&to=c@d.example', pointer: '/to', code: 'wrong_type' },
])('$query is rejected at $pointer', async ({ query, pointer, code }) => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', `/api/messages?${query}`);

  expect(response.status).toBe(400);
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer, code }],
  });
});

test('a message cannot be posted: only a provider receives', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('POST', '/api/messages', {});

  expect(response.status).toBe(405);
  expect(response.headers.get('Allow')).toBe('GET, DELETE');
});
