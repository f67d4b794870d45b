import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';
import { ACCOUNT_SID, FROM, startApplication, twilioOf } from '../../testing/twilio-client.ts';

const TO = '+4915112345001';
const message = { to: TO, from: FROM, body: 'Hello' };

test.each([
  ['the number that wrote', { to: FROM }],
  ['the last number that wrote, where none is named', {}],
])(
  'an answer goes to %s, signed; after STOP Twilio refuses its number, until START',
  async (_name, to) => {
    await using application = await startApplication(200);
    await using sandbox = await startTestSandbox();
    const { messages } = twilioOf(sandbox.url);
    await messages.create({
      ...message,
      statusCallback: `${application.url}/cb/sms/twilio/status?d=x`,
    });
    const answer = (body: string) =>
      sandbox.request('POST', '/api/inbound', { from: TO, body, ...to });

    const stopped = await answer('STOP');

    expect([stopped.status, await stopped.json()]).toEqual([
      200,
      { status: 200, url: `${application.url}/cb/sms/twilio/inbound`, body: '' },
    ]);
    expect(application.calls.find(({ url }) => url.endsWith('/inbound'))).toMatchObject({
      isSigned: true,
      form: { From: TO, To: FROM, Body: 'STOP', AccountSid: ACCOUNT_SID },
    });
    await expect(messages.create(message)).rejects.toMatchObject({ code: 21610 });

    await answer('start');
    expect((await messages.create(message)).status).toBe('queued');
  },
);

test('an answer to a messaging service names it', async () => {
  const messagingServiceSid = `MG${'3'.repeat(32)}`;
  await using application = await startApplication(200);
  await using sandbox = await startTestSandbox();
  await twilioOf(sandbox.url).messages.create({
    to: TO,
    messagingServiceSid,
    body: 'Hello',
    statusCallback: `${application.url}/cb`,
  });

  await sandbox.request('POST', '/api/inbound', {
    from: TO,
    to: messagingServiceSid,
    body: 'Thanks',
  });

  expect(application.calls.find(({ url }) => url.endsWith('/inbound'))?.form).toMatchObject({
    MessagingServiceSid: messagingServiceSid,
    Body: 'Thanks',
  });
});
