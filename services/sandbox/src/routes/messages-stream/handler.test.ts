import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('an arriving mail sends an event to the streams', async () => {
  await using sandbox = await startTestSandbox();
  const response = await sandbox.request('GET', '/api/messages/stream');

  await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'));
  let heard = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += text;
    if (heard.includes('event: change')) break;
  }

  expect(response.headers.get('Content-Type')).toBe('text/event-stream');
  expect(heard).toContain('event: change\ndata: {"total":1,"unique":1,"repeated":0}\n\n');
});

test('the stream can only be read', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('POST', '/api/messages/stream', {})).status).toBe(405);
});
