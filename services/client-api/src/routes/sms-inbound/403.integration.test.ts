import { afterAll, expect, test } from '@jest/globals';
import { createSmsApplication, FROM, startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each([
  ['another token', { token: 'another token' }],
  ['no signature', { signature: '' }],
])('STOP with %s is rejected', async (_name, options) => {
  const { applicationId, accountSid } = await createSmsApplication(api.db);

  const answer = await api.post(
    '/cb/sms/twilio/inbound',
    { AccountSid: accountSid, From: '+4915112345001', To: FROM, Body: 'STOP' },
    options,
  );

  expect(answer.status).toBe(403);
  const { rows } = await api.db.sql.query('select 1 from suppressions where application_id = $1', [
    applicationId,
  ]);
  expect(rows).toEqual([]);
});

test.each([
  ['an unknown account', `AC${'0'.repeat(32)}`],
  ['an account that no store accepts', 'AC\0'],
])('%s gets the same error', async (_name, AccountSid) => {
  const answer = await api.post('/cb/sms/twilio/inbound', {
    AccountSid,
    From: '+4915112345001',
    To: FROM,
    Body: 'STOP',
  });

  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    code: 'forbidden',
    detail: 'The request signature is invalid.',
  });
});
