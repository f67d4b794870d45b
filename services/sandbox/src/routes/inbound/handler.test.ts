import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';
import {
  ACCOUNT_SID,
  FROM,
  startApplication,
  createTwilioClient,
} from '../../testing/twilio-client.ts';

const TO = '+4915112345001';
const message = { to: TO, from: FROM, body: 'Hello' };

test.each([
  ['the sender', { to: FROM }],
  ['the last sender, if none is given', {}],
])(
  'a signed reply goes to %s; after STOP, Twilio rejects its number until START',
  async (_name, to) => {
    await using application = await startApplication(200);
    await using sandbox = await startTestSandbox();
    const { messages } = createTwilioClient(sandbox.url);
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

test('a reply to a messaging service names it', async () => {
  const messagingServiceSid = `MG${'3'.repeat(32)}`;
  await using application = await startApplication(200);
  await using sandbox = await startTestSandbox();
  await createTwilioClient(sandbox.url).messages.create({
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

test.each([
  [{}, ['/from', '/body']],
  [{ from: 'me', body: 'x' }, ['/from']],
  [{ from: '+4915112345001' }, ['/body']],
  [{ from: '+4915112345001', body: 5 }, ['/body']],
  [{ from: '+4915112345001', to: '', body: 'x' }, ['/to']],
])('the reply %j is rejected', async (body, pointers) => {
  await using sandbox = await startTestSandbox();

  const answer = await sandbox.request('POST', '/api/inbound', body);

  expect(answer.status).toBe(400);
  expect(
    ((await answer.json()) as { errors: { pointer: string }[] }).errors.map(
      ({ pointer }) => pointer,
    ),
  ).toEqual(pointers);
});

test('replies are not listed', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/inbound');

  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
});

const stop = { from: '+4915112345001', to: FROM, body: 'STOP' };

test('a reply to a number that sent nothing is 404', async () => {
  await using sandbox = await startTestSandbox();
  expect((await sandbox.request('POST', '/api/inbound', stop)).status).toBe(409);

  // Also if the message was sent without a callback URL.
  await createTwilioClient(sandbox.url).messages.create({
    to: stop.from,
    from: FROM,
    body: 'Hello',
  });
  expect((await sandbox.request('POST', '/api/inbound', stop)).status).toBe(409);
});

test('a form of another site cannot send a reply: only JSON is accepted', async () => {
  await using sandbox = await startTestSandbox();

  const response = await fetch(`${sandbox.url}/api/inbound`, {
    method: 'POST',
    body: new URLSearchParams({ from: '+4915112345001', body: 'STOP' }),
  });

  expect(response.status).toBe(415);
});
