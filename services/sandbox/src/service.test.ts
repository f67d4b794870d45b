import { appendFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from './testing/test-sandbox.ts';

test('received messages and their counts survive a restart', async () => {
  await using first = await startTestSandbox();
  await first.send(campaignMail('ann@example.com', 'c1', 'd1'));
  await first.send(campaignMail('ann@example.com', 'c1', 'd1'));
  const before = await first.messages();
  await first.stop();

  await using second = await startTestSandbox({ dataDir: first.dataDir });

  expect(await second.messages()).toEqual(before);
  expect(await second.counts('?campaignId=c1')).toEqual({ total: 2, unique: 1, repeated: 1 });
});

test('only its own account can read received messages', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'));
  const [file = ''] = await readdir(sandbox.dataDir);

  expect((await stat(join(sandbox.dataDir, file))).mode & 0o777).toBe(0o600);
});

test('an incomplete line of a killed process is dropped, and later messages are stored', async () => {
  await using first = await startTestSandbox();
  await first.send(campaignMail('ann@example.com', 'c1', 'd1'));
  await first.stop();
  const [file = ''] = await readdir(first.dataDir);
  await appendFile(join(first.dataDir, file), '{"id":"torn","channel":"EMA');

  await using second = await startTestSandbox({ dataDir: first.dataDir });
  await second.send(campaignMail('bob@example.com', 'c1', 'd2'));
  await second.stop();
  await using third = await startTestSandbox({ dataDir: first.dataDir });

  expect((await third.messages()).messages.map(({ to }) => to)).toEqual([
    'bob@example.com',
    'ann@example.com',
  ]);
});

test('beyond the limit the oldest tenth is deleted', async () => {
  await using sandbox = await startTestSandbox({ messagesMax: 10 });

  for (let at = 1; at <= 12; at += 1)
    await sandbox.send(campaignMail(`${at}@example.com`, 'c1', `d${at}`));
  const { count, messages } = await sandbox.messages();

  expect(count).toBe(10);
  expect(messages.at(-1)?.to).toBe('3@example.com');
  expect(await sandbox.counts()).toEqual({ total: 10, unique: 10, repeated: 0 });
});

test('stopping closes open streams and idle SMTP connections', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'));
  const stream = await sandbox.request('GET', '/api/messages/stream');

  await sandbox.stop();

  await expect(stream.text()).resolves.toContain('retry:');
});
