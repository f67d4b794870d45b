import { afterAll, expect, test } from '@jest/globals';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([
  '/cb/sms/twilio/status',
  '/cb/sms/twilio/inbound',
  '/cb/sms/vonage/status',
  '/cb/sms/vonage/inbound',
])('GET %s is not allowed', async (path) => {
  const answer = await api.post(path, {}, { method: 'GET' });

  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});
