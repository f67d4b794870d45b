import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { startReceiver } from '../../testing/receiver.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';
import { createVonageClient, signIn } from '../../testing/vonage-client.ts';

const TO = '4915112345001';
const message = {
  channel: 'sms',
  message_type: 'text',
  to: TO,
  from: '15005550006',
  text: 'Grüße 👋',
};

/** Claims of a callback; throws if it is not signed with this secret for this body. */
function verified(
  {
    headers,
    body,
  }: { readonly headers: { readonly authorization?: string | undefined }; readonly body: string },
  secret: string,
) {
  const [head = '', claims = '', signature] = (headers.authorization ?? '')
    .replace('Bearer ', '')
    .split('.');
  const due = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Readonly<
    Record<string, unknown>
  >;
  expect(signature).toBe(due);
  expect(read['payload_hash']).toBe(createHash('sha256').update(body).digest('hex'));
  return read;
}

describe('a message of Vonage’s Messages API', () => {
  test('is stored with the ids of its webhook URL', async () => {
    await using sandbox = await startTestSandbox();
    const vonage = await createVonageClient(sandbox.url);

    const { status, body } = await vonage.send({
      ...message,
      ttl: 60,
      webhook_url: 'http://127.0.0.1:1/cb?d=delivery-1.3.mac&c=campaign-1',
    });

    expect([status, body]).toEqual([202, { message_uuid: expect.any(String) }]);
    expect(await sandbox.messages('?channel=SMS&campaignId=campaign-1')).toMatchObject({
      count: 1,
      messages: [
        {
          to: `+${TO}`,
          deliveryId: 'delivery-1',
          body: 'Grüße 👋',
          data: {
            messageId: body['message_uuid'],
            from: '+15005550006',
            encoding: 'UCS-2',
            segments: 1,
            ttl: 60,
          },
        },
      ],
    });
  });

  test.each([
    ['to', { ...message, to: `+${TO}` }],
    ['to', { ...message, to: 5 }],
    ['from', { ...message, from: '+15005550006' }],
    ['text', { ...message, text: '' }],
    ['text', { ...message, text: 'x'.repeat(1_001) }],
    ['ttl', { ...message, ttl: 19 }],
    ['channel', { ...message, channel: 'viber' }],
    ['message_type', { ...message, message_type: 'image' }],
    ['client_ref', { ...message, client_ref: 'x'.repeat(101) }],
    ['webhook_url', { ...message, webhook_url: 'x' }],
    ['sms.encoding_type', { ...message, sms: { encoding_type: 'morse' } }],
  ])('with a wrong %s is rejected: %j', async (name, wrong) => {
    await using sandbox = await startTestSandbox();
    const vonage = await createVonageClient(sandbox.url);

    const { status, body } = await vonage.send(wrong);

    expect(status).toBe(422);
    expect(body).toMatchObject({
      type: 'https://developer.vonage.com/api-errors/messages#1020',
      invalid_parameters: [{ name, reason: expect.any(String) }],
    });
    expect((await sandbox.counts()).total).toBe(0);
  });

  test('with a token of another key, of another application, an old one or none is rejected', async () => {
    await using sandbox = await startTestSandbox();
    const { send, credentials } = await createVonageClient(sandbox.url);
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });

    for (const token of [
      signIn({ ...credentials, privateKey }),
      signIn(credentials, { application_id: 'another' }),
      signIn(credentials, { exp: 1 }),
      signIn(credentials, { jti: undefined }),
      'none',
    ])
      expect(await send(message, token)).toMatchObject({
        status: 401,
        body: { type: 'https://developer.vonage.com/api-errors#unauthorized' },
      });
  });

  test('the credentials stay the same after a restart', async () => {
    await using first = await startTestSandbox();
    const { credentials } = await createVonageClient(first.url);
    await first.stop();

    await using second = await startTestSandbox({ dataDir: first.dataDir });
    const again = await createVonageClient(second.url);

    expect(again.credentials).toEqual(credentials);
  });
});

describe('status webhooks', () => {
  test('are signed like Vonage’s, and report submitted, then delivered', async () => {
    await using application = await startReceiver(204);
    await using sandbox = await startTestSandbox();
    const { send, credentials } = await createVonageClient(sandbox.url);

    const { body } = await send({
      ...message,
      client_ref: 'd1',
      webhook_url: `${application.url}/cb?d=a.b&c=d`,
    });

    await eventually(() => expect(application.calls).toHaveLength(2));
    const told = application.calls.map((call) => {
      expect(call.url).toBe('/cb?d=a.b&c=d');
      expect(verified(call, credentials.signatureSecret)).toMatchObject({
        iss: 'Vonage',
        api_key: credentials.apiKey,
        application_id: credentials.applicationId,
      });
      return JSON.parse(call.body) as unknown;
    });
    const shared = {
      message_uuid: body['message_uuid'],
      to: TO,
      from: '15005550006',
      channel: 'sms',
      client_ref: 'd1',
    };
    expect(told).toMatchObject([
      { ...shared, status: 'submitted' },
      { ...shared, status: 'delivered' },
    ]);
  });

  test.each([
    [{}, '1170'],
    [{ code: '1180' }, '1180'],
  ])('of a message that a carrier rejects (%j) report it with the code', async (fault, code) => {
    await using application = await startReceiver(204);
    await using sandbox = await startTestSandbox();
    const { send } = await createVonageClient(sandbox.url);
    await sandbox.request('POST', '/api/faults', {
      channel: 'SMS',
      kind: 'reject',
      rate: 1,
      ...fault,
    });

    expect((await send({ ...message, webhook_url: `${application.url}/cb` })).status).toBe(202);

    await eventually(() => expect(application.calls).toHaveLength(2));
    expect(JSON.parse(application.calls[1]?.body ?? '')).toMatchObject({
      status: 'rejected',
      error: { type: `https://developer.vonage.com/api-errors/messages#${code}`, title: code },
    });
  });
});

test('a signed reply goes to the sender; after STOP Vonage rejects its number until START', async () => {
  await using application = await startReceiver(200);
  await using sandbox = await startTestSandbox();
  const { send, credentials } = await createVonageClient(sandbox.url);
  const sendAndHear = async () => {
    application.calls.length = 0;
    await send({ ...message, webhook_url: `${application.url}/cb/sms/vonage/status?d=x` });
    await eventually(() => expect(application.calls).toHaveLength(2));
    return JSON.parse(application.calls[1]?.body ?? '') as unknown;
  };
  expect(await sendAndHear()).toMatchObject({ status: 'delivered' });

  const answer = await sandbox.request('POST', '/api/inbound', {
    from: `+${TO}`,
    to: '+15005550006',
    body: 'STOP',
  });

  expect(await answer.json()).toEqual({
    status: 200,
    url: `${application.url}/cb/sms/vonage/inbound`,
    body: '',
  });
  const inbound = application.calls.find(({ url }) => url.endsWith('/inbound'));
  verified(inbound ?? { headers: {}, body: '' }, credentials.signatureSecret);
  expect(JSON.parse(inbound?.body ?? '')).toMatchObject({
    from: TO,
    to: '15005550006',
    text: 'STOP',
    sms: { keyword: 'STOP' },
  });
  expect(await sendAndHear()).toMatchObject({ status: 'rejected', error: { title: '1240' } });

  await sandbox.request('POST', '/api/inbound', { from: `+${TO}`, body: 'start' });
  expect(await sendAndHear()).toMatchObject({ status: 'delivered' });
});

describe('faults', () => {
  test.each([
    [{ status: 402 }, 'https://developer.vonage.com/api-errors#low-balance'],
    [{ status: 422, code: '1120' }, 'https://developer.vonage.com/api-errors/messages#1120'],
    [
      { status: 429, retryAfterSeconds: 2 },
      'https://developer.vonage.com/api-errors/messages#1000',
    ],
  ])('%j rejects, and nothing is stored', async (fault, type) => {
    await using sandbox = await startTestSandbox();
    const { send } = await createVonageClient(sandbox.url);
    await sandbox.request('POST', '/api/faults', {
      channel: 'SMS',
      kind: 'status',
      rate: 1,
      ...fault,
    });

    const { status, headers, body } = await send(message);

    expect([status, body['type']]).toEqual([fault.status, type]);
    expect(headers.get('retry-after')).toBe('retryAfterSeconds' in fault ? '2' : null);
    expect((await sandbox.counts()).total).toBe(0);
  });

  test('a dropped reply: the message was accepted', async () => {
    await using sandbox = await startTestSandbox();
    const { send } = await createVonageClient(sandbox.url);
    await sandbox.request('POST', '/api/faults', { channel: 'SMS', kind: 'drop_reply', rate: 1 });

    await expect(send(message)).rejects.toThrow();
    expect((await sandbox.counts()).total).toBe(1);
  });
});
