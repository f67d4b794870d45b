import { describe, expect, test } from '@jest/globals';
import { createIdSigner } from '@tidings/platform';
import { SMS_STATUS_PURPOSE } from '@tidings/providers/sms/status-purpose';
import type { ServerResponse } from 'node:http';
import {
  ACCOUNT_SID,
  createTestChannel,
  MESSAGE_SID,
  outgoingSms,
  refuse,
  startTwilio,
  TEST_CONFIG,
} from './testing/twilio.ts';

describe('a message, by Twilio’s own package', () => {
  test('is one request with number, text, sender and a signed address for callbacks', async () => {
    await using twilio = await startTwilio();
    await using channel = createTestChannel();
    const delivery = outgoingSms(twilio.url);

    expect(await channel.send(delivery)).toEqual({
      status: 'sent',
      providerId: MESSAGE_SID,
      providerCode: 'queued',
      providerMessage: '1 segment, GSM-7',
    });

    const [call, ...others] = twilio.calls;
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      method: 'POST',
      url: `/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`,
    });
    expect(Buffer.from(call?.authorization.replace('Basic ', '') ?? '', 'base64').toString()).toBe(
      `${ACCOUNT_SID}:token`,
    );
    expect(call?.form).toEqual({
      To: '+4915112345001',
      Body: 'Grüße',
      From: '+15005550006',
      StatusCallback: expect.any(String),
    });
    const callback = new URL(call?.form['StatusCallback'] ?? '');
    expect([callback.origin, callback.pathname]).toEqual([
      'https://tidings.example',
      '/cb/sms/twilio/status',
    ]);
    expect(
      createIdSigner(TEST_CONFIG.encryptionKey, SMS_STATUS_PURPOSE).open(
        callback.searchParams.get('d') ?? '',
      ),
    ).toEqual([delivery.deliveryId, '3']);
  });

  test('goes through a messaging service, without callbacks, and only as long as the campaign allows', async () => {
    await using twilio = await startTwilio();
    await using channel = createTestChannel({ publicBaseUrl: '' });

    await channel.send(
      outgoingSms(twilio.url, {
        settings: { from: undefined, messagingServiceSid: `MG${'3'.repeat(32)}` },
        expiresAt: Date.now() + 90_500,
      }),
    );

    expect(twilio.calls[0]?.form).toEqual({
      To: '+4915112345001',
      Body: 'Grüße',
      MessagingServiceSid: `MG${'3'.repeat(32)}`,
      ValidityPeriod: expect.stringMatching(/^(89|90)$/),
    });
  });
});

describe('what Twilio says is the outcome', () => {
  test.each([
    [
      400,
      21211,
      { status: 'invalid_address', reason: 'invalid_address', suppression: 'suppressed_bounce' },
    ],
    [
      400,
      21614,
      { status: 'invalid_address', reason: 'invalid_address', suppression: 'suppressed_bounce' },
    ],
    [400, 21610, { status: 'invalid_address', reason: 'sms_stop', suppression: 'sms_stop' }],
    [400, 21612, { status: 'permanent', reason: 'provider_rejected' }],
    [400, 21617, { status: 'permanent', reason: 'payload_too_large' }],
    [400, 21408, { status: 'configuration', reason: 'provider_rejected', isOfRecipient: true }],
    [400, 21606, { status: 'configuration', reason: 'provider_rejected' }],
    [401, 20003, { status: 'configuration', reason: 'provider_auth' }],
    [404, 20404, { status: 'configuration', reason: 'provider_auth' }],
    [400, 21611, { status: 'rate_limited', retryAfterMs: 300_000 }],
    [400, 99999, { status: 'permanent', reason: 'provider_rejected', isUnmapped: true }],
    [503, 20503, { status: 'transient', reason: 'provider_unavailable' }],
    [500, 20500, { status: 'unknown' }],
    [502, undefined, { status: 'unknown' }],
  ])('%i with code %j', async (status, code, outcome) => {
    await using twilio = await startTwilio(refuse(status, code));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms(twilio.url))).toEqual({
      ...outcome,
      providerCode: String(code ?? status),
      providerMessage: expect.any(String),
    });
    expect(twilio.calls).toHaveLength(1);
  });

  test('429 waits as long as it says', async () => {
    await using twilio = await startTwilio(refuse(429, 20429, { 'Retry-After': '7' }));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms(twilio.url))).toMatchObject({
      status: 'rate_limited',
      retryAfterMs: 7_000,
      providerCode: '20429',
    });
  });

  test.each([
    ['garbage', (res: ServerResponse) => void res.writeHead(201).end('<html>')],
    ['JSON of another server', (res: ServerResponse) => void res.writeHead(200).end('{}')],
  ])('2xx with %s may have been taken: unknown', async (_name, answer) => {
    await using twilio = await startTwilio(answer);
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms(twilio.url))).toMatchObject({ status: 'unknown' });
  });

  test('a redirect is not followed', async () => {
    await using twilio = await startTwilio(
      (res) => void res.writeHead(307, { Location: '/elsewhere' }).end(),
    );
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms(twilio.url))).toMatchObject({
      status: 'configuration',
      providerCode: '307',
    });
    expect(twilio.calls).toHaveLength(1);
  });
});

describe('without an answer', () => {
  test('that was cut off or never comes the outcome is unknown, and nothing is sent twice', async () => {
    await using reset = await startTwilio((_res, req) => req.socket.resetAndDestroy());
    await using silent = await startTwilio(() => undefined);
    await using channel = createTestChannel({ twilioTimeoutMs: 100 });

    for (const twilio of [reset, silent]) {
      expect(await channel.send(outgoingSms(twilio.url))).toMatchObject({ status: 'unknown' });
      expect(twilio.calls).toHaveLength(1);
    }
  });

  test('connection refused: nothing was sent, so it is retried', async () => {
    const twilio = await startTwilio();
    await twilio[Symbol.asyncDispose]();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms(twilio.url))).toMatchObject({
      status: 'transient',
      reason: 'provider_unavailable',
      providerCode: 'ECONNREFUSED',
    });
  });

  test('marked too long ago: nothing is sent', async () => {
    await using twilio = await startTwilio();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms(twilio.url, { mayBegin: () => false }))).toEqual({
      status: 'not_sent',
    });
    expect(twilio.calls).toEqual([]);
  });

  test('a lease that ends gives the call up', async () => {
    const lease = new AbortController();
    await using twilio = await startTwilio(() => lease.abort(new Error('the send lease ended')));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms(twilio.url, { signal: lease.signal }))).toMatchObject({
      status: 'unknown',
    });
  });

  test('a private address is not reached', async () => {
    await using channel = createTestChannel();

    expect(await channel.send(outgoingSms('http://10.0.0.1:80'))).toMatchObject({
      status: 'configuration',
      providerCode: 'egress_refused',
    });
  });
});
