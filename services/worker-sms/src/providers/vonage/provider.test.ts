import { describe, expect, test } from '@jest/globals';
import { createVerify } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createTestChannel } from '../twilio/testing/twilio.ts';
import { createApplicationTokens } from './application-tokens.ts';
import {
  APPLICATION_ID,
  keys,
  MESSAGE_ID,
  outgoingByVonage,
  reject,
  startVonage,
} from './testing/vonage.ts';

const readPart = (part = ''): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

describe('a message by Vonage', () => {
  test('is one request with number, text, sender and a signed address for callbacks', async () => {
    await using vonage = await startVonage();
    await using channel = createTestChannel();
    const delivery = outgoingByVonage(vonage.url);

    expect(await channel.send(delivery)).toEqual({
      status: 'sent',
      providerId: MESSAGE_ID,
      providerCode: '202',
      providerMessage: '1 segment, GSM-7',
    });

    expect(vonage.calls).toMatchObject([{ method: 'POST', url: '/v1/messages' }]);
    expect(vonage.calls[0]?.body).toEqual({
      channel: 'sms',
      message_type: 'text',
      to: '4915112345001',
      from: '15005550006',
      text: 'Grüße',
      client_ref: delivery.deliveryId,
      sms: { encoding_type: 'text' },
      ttl: expect.any(Number),
      webhook_url: expect.stringContaining('https://tidings.example/cb/sms/vonage/status?d='),
      webhook_version: 'v1',
    });
  });

  test('is signed in by a token of the application, which several messages share', async () => {
    await using vonage = await startVonage();
    await using channel = createTestChannel();
    const delivery = outgoingByVonage(vonage.url);
    await channel.send(delivery);
    await channel.send(delivery);

    const [first, second] = vonage.calls.map(({ authorization }) => authorization);
    expect(second).toBe(first);
    const [head, claims, signature] = (first ?? '').replace('Bearer ', '').split('.');
    expect(readPart(head)).toEqual({ alg: 'RS256', typ: 'JWT' });
    const { iat, exp, ...rest } = readPart(claims);
    expect(rest).toEqual({ application_id: APPLICATION_ID, jti: expect.any(String) });
    expect(Number(exp) - Number(iat)).toBe(900);
    expect(
      createVerify('sha256')
        .update(`${head}.${claims}`)
        .verify(keys.publicKey, Buffer.from(signature ?? '', 'base64url')),
    ).toBe(true);
  });

  test('of other characters is sent as Unicode; names and short codes are senders too', async () => {
    await using vonage = await startVonage();
    await using channel = createTestChannel({ publicBaseUrl: '' });

    await channel.send(
      outgoingByVonage(vonage.url, {
        settings: { from: 'Shop' },
        message: { body: 'Привет' },
        expiresAt: Date.now() + 100 * 3_600_000,
      }),
    );

    expect(vonage.calls[0]?.body).toEqual({
      channel: 'sms',
      message_type: 'text',
      to: '4915112345001',
      from: 'Shop',
      text: 'Привет',
      client_ref: expect.any(String),
      sms: { encoding_type: 'unicode' },
    });
  });

  test.each([
    [90_500, [89, 90]],
    [500, [20]],
  ])('that expires in %i ms waits at Vonage no longer', async (leftMs, ttls) => {
    await using vonage = await startVonage();
    await using channel = createTestChannel();

    await channel.send(outgoingByVonage(vonage.url, { expiresAt: Date.now() + leftMs }));

    expect(ttls).toContain(vonage.calls[0]?.body['ttl']);
  });
});

test('a token is made again after five minutes', () => {
  let now = 0;
  const tokens = createApplicationTokens(() => now);
  const application = { applicationId: APPLICATION_ID, privateKey: keys.privateKey };
  const first = tokens.get('a:1', application);

  now += 299_999;
  expect(tokens.get('a:1', application)).toBe(first);
  expect(tokens.get('a:2', application)).not.toBe(first);
  now += 1;
  expect(tokens.get('a:1', application)).not.toBe(first);
});

const typeOf = (code: string) => `https://developer.vonage.com/api-errors/messages#${code}`;
const invalidParameter = (name: string) => ({
  type: typeOf('1020'),
  title: 'Invalid params',
  invalid_parameters: [{ name, reason: 'wrong' }],
});
const INVALID = {
  status: 'invalid_address',
  reason: 'invalid_address',
  suppression: 'suppressed_bounce',
} as const;
const AUTH = { status: 'configuration', reason: 'provider_auth' } as const;
const PERMANENT = { status: 'permanent', reason: 'provider_rejected' } as const;
const SENDER = { status: 'configuration', reason: 'provider_rejected' } as const;

describe('what Vonage says is the outcome', () => {
  test.each([
    [401, { type: 'https://developer.vonage.com/api-errors#unauthorized' }, 'unauthorized', AUTH],
    [402, { type: 'https://developer.vonage.com/api-errors/#low-balance' }, 'low-balance', AUTH],
    [403, { type: 'https://developer.vonage.com/api-errors#forbidden' }, 'forbidden', AUTH],
    [401, {}, '401', AUTH],
    [402, { type: typeOf('1070') }, '1070', AUTH],
    [422, invalidParameter('to'), '1020', INVALID],
    [422, invalidParameter('from'), '1020', SENDER],
    [422, invalidParameter('text'), '1020', { ...PERMANENT, reason: 'payload_too_large' }],
    [422, invalidParameter('ttl'), '1020', PERMANENT],
    [422, { type: typeOf('1020') }, '1020', PERMANENT],
    [422, { type: typeOf('1170') }, '1170', INVALID],
    [
      422,
      { type: typeOf('1240') },
      '1240',
      { ...INVALID, reason: 'sms_stop', suppression: 'sms_stop' },
    ],
    [422, { type: typeOf('1040') }, '1040', PERMANENT],
    [422, { type: typeOf('1120') }, '1120', { ...SENDER, isOfRecipient: true }],
    [422, { type: typeOf('1160') }, '1160', { ...SENDER, isOfRecipient: true }],
    [422, { type: typeOf('1140') }, '1140', SENDER],
    [
      422,
      { type: typeOf('1100') },
      '1100',
      { status: 'transient', reason: 'provider_unavailable' },
    ],
    [422, { type: typeOf('9999') }, '9999', { ...PERMANENT, isUnmapped: true }],
    [404, {}, '404', SENDER],
    [429, { type: typeOf('1000') }, '1000', { status: 'rate_limited' }],
    [429, {}, '429', { status: 'rate_limited' }],
    [503, {}, '503', { status: 'transient', reason: 'provider_unavailable' }],
    [500, { type: typeOf('1030') }, '1030', { status: 'unknown' }],
    [502, {}, '502', { status: 'unknown' }],
  ])('%i %j', async (status, problem, providerCode, outcome) => {
    await using vonage = await startVonage(reject(status, problem));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingByVonage(vonage.url))).toEqual({
      ...outcome,
      providerCode,
      providerMessage: expect.any(String),
    });
    expect(vonage.calls).toHaveLength(1);
  });

  test('429 waits as long as it says', async () => {
    await using vonage = await startVonage(reject(429, {}, { 'Retry-After': '7' }));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingByVonage(vonage.url))).toMatchObject({
      status: 'rate_limited',
      retryAfterMs: 7_000,
    });
  });

  test.each([
    ['garbage', (res: ServerResponse) => void res.writeHead(202).end('<html>')],
    ['JSON of another server', (res: ServerResponse) => void res.writeHead(202).end('{}')],
    ['another status', (res: ServerResponse) => void res.writeHead(200).end('{"ok":true}')],
  ])('2xx with %s may have been taken: unknown', async (_name, answer) => {
    await using vonage = await startVonage(answer);
    await using channel = createTestChannel();

    expect(await channel.send(outgoingByVonage(vonage.url))).toMatchObject({ status: 'unknown' });
  });

  test('a redirect is not followed', async () => {
    await using vonage = await startVonage(
      (res) => void res.writeHead(307, { Location: '/elsewhere' }).end(),
    );
    await using channel = createTestChannel();

    expect(await channel.send(outgoingByVonage(vonage.url))).toMatchObject({
      status: 'configuration',
      providerCode: '307',
    });
    expect(vonage.calls).toHaveLength(1);
  });
});

describe('without an answer', () => {
  test('that was cut off or never comes the outcome is unknown, and nothing is sent twice', async () => {
    await using reset = await startVonage((_res, req) => req.socket.resetAndDestroy());
    await using silent = await startVonage(() => undefined);
    await using channel = createTestChannel({ vonageTimeoutMs: 100 });

    for (const vonage of [reset, silent]) {
      expect(await channel.send(outgoingByVonage(vonage.url))).toMatchObject({ status: 'unknown' });
      expect(vonage.calls).toHaveLength(1);
    }
  });

  test('connection refused: nothing was sent, so it is retried', async () => {
    const vonage = await startVonage();
    await vonage[Symbol.asyncDispose]();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingByVonage(vonage.url))).toMatchObject({
      status: 'transient',
      reason: 'provider_unavailable',
      providerCode: 'ECONNREFUSED',
    });
  });

  test('marked too long ago: nothing is sent', async () => {
    await using vonage = await startVonage();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingByVonage(vonage.url, { mayBegin: () => false }))).toEqual({
      status: 'not_sent',
    });
    expect(vonage.calls).toEqual([]);
  });

  test.each([
    ['that is none', 'no key'],
    ['that is missing', undefined],
  ])(
    'a private key %s: nothing is sent, and the key is not repeated',
    async (_name, privateKey) => {
      await using vonage = await startVonage();
      await using channel = createTestChannel();

      const result = await channel.send(
        outgoingByVonage(vonage.url, { secrets: privateKey === undefined ? {} : { privateKey } }),
      );

      expect(result).toMatchObject({ ...AUTH, providerCode: 'private_key' });
      expect(JSON.stringify(result)).not.toContain('no key');
      expect(vonage.calls).toEqual([]);
    },
  );

  test('a private address is not reached', async () => {
    await using channel = createTestChannel();

    expect(await channel.send(outgoingByVonage('http://10.0.0.1:80'))).toMatchObject({
      status: 'configuration',
      providerCode: 'egress_refused',
    });
  });
});
