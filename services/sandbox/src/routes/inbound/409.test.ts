import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';
import { FROM, twilioOf } from '../../testing/twilio-client.ts';

const answer = { from: '+4915112345001', to: FROM, body: 'STOP' };

test('where nothing was sent from the number nobody knows where an answer goes', async () => {
  await using sandbox = await startTestSandbox();
  expect((await sandbox.request('POST', '/api/inbound', answer)).status).toBe(409);

  // Nor where a message came without an address for callbacks.
  await twilioOf(sandbox.url).messages.create({ to: answer.from, from: FROM, body: 'Hello' });
  expect((await sandbox.request('POST', '/api/inbound', answer)).status).toBe(409);
});
