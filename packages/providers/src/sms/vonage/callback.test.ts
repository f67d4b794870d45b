import { describe, expect, test } from '@jest/globals';
import { createHash, createHmac } from 'node:crypto';
import { vonageCallbacks } from './callback.ts';

const SECRET = 'the signature secret';
const NOW_MS = Date.UTC(2026, 10, 29);
const NOW = NOW_MS / 1000;
const ACCOUNT = {
  settings: { provider: 'vonage', apiKey: 'a1b2c3d4', from: '+15005550006' },
  secrets: { signatureSecret: SECRET },
};
const BODY = JSON.stringify({
  status: 'delivered',
  message_uuid: 'aaaa-bbbb',
  to: '4915112345001',
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as Vonage makes it, with changes. */
function tokenOf(
  body: string,
  {
    header = {},
    claims = {},
    secret = SECRET,
  }: { header?: object; claims?: object; secret?: string } = {},
): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode({
    iat: NOW,
    jti: 'c5ba8f24-1a14-4c10-bfdf-3fbe8ce511b5',
    iss: 'Vonage',
    payload_hash: createHash('sha256').update(body).digest('hex'),
    api_key: 'a1b2c3d4',
    ...claims,
  })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const read = (body: string, authorization: string | undefined, receivedAt = NOW_MS) =>
  vonageCallbacks.read({
    url: 'https://tidings.example/cb',
    headers: { authorization },
    body: Buffer.from(body),
    receivedAt,
  });

describe('a callback of Vonage', () => {
  test('names its account, and is signed with the secret of that account', () => {
    const callback = read(BODY, `Bearer ${tokenOf(BODY)}`);

    expect(callback?.account).toEqual({ apiKey: 'a1b2c3d4' });
    expect(callback?.isSigned(ACCOUNT)).toBe(true);
  });

  test.each([
    ['another secret', tokenOf(BODY, { secret: 'another' })],
    ['a body that was changed', tokenOf(`${BODY} `)],
    ['another issuer', tokenOf(BODY, { claims: { iss: 'Another' } })],
    ['no hash of the body', tokenOf(BODY, { claims: { payload_hash: undefined } })],
    ['another account', tokenOf(BODY, { claims: { api_key: 'ffffffff' } })],
    ['an old token', tokenOf(BODY, { claims: { iat: NOW - 26 * 3_600 } })],
    ['a token of the future', tokenOf(BODY, { claims: { iat: NOW + 3_600 } })],
    ['no time', tokenOf(BODY, { claims: { iat: undefined } })],
    ['an empty signature', `${tokenOf(BODY).split('.').slice(0, 2).join('.')}.AA`],
  ])('with %s is not signed', (_what, token) => {
    expect(read(BODY, `Bearer ${token}`)?.isSigned(ACCOUNT)).toBe(false);
  });

  test('that is repeated within a day is signed', () => {
    const token = tokenOf(BODY, { claims: { iat: NOW - 24 * 3_600 } });

    expect(read(BODY, `Bearer ${token}`)?.isSigned(ACCOUNT)).toBe(true);
  });

  test.each([
    ['no secrets', null],
    ['no secret of signatures', {}],
    ['an empty secret', { signatureSecret: '' }],
  ])('is not signed for an account with %s', (_what, secrets) => {
    for (const secret of ['', 'undefined', SECRET])
      expect(
        read(BODY, `Bearer ${tokenOf(BODY, { secret })}`)?.isSigned({ ...ACCOUNT, secrets }),
      ).toBe(false);
  });

  test.each([
    ['no token', BODY, undefined],
    ['no bearer', BODY, `Basic ${tokenOf(BODY)}`],
    ['no algorithm', BODY, `Bearer ${tokenOf(BODY, { header: { alg: 'none' } })}`],
    ['another algorithm', BODY, `Bearer ${tokenOf(BODY, { header: { alg: 'RS256' } })}`],
    ['no account', BODY, `Bearer ${tokenOf(BODY, { claims: { api_key: undefined } })}`],
    [
      'an account that no store accepts',
      BODY,
      `Bearer ${tokenOf(BODY, { claims: { api_key: '\0' } })}`,
    ],
    ['parts that are no JSON', BODY, 'Bearer e30.bm8.AA'],
    ['a body that is no JSON', '<html>', `Bearer ${tokenOf('<html>')}`],
    ['a body that is no object', '5', `Bearer ${tokenOf('5')}`],
  ])('with %s is none', (_what, body, authorization) => {
    expect(read(body, authorization)).toBeNull();
  });
});

describe('what it says', () => {
  const reading = (fields: object) => {
    const body = JSON.stringify(fields);
    return read(body, `Bearer ${tokenOf(body)}`);
  };

  test.each([
    [{ status: 'submitted' }, { state: 'sent' }, 'submitted'],
    [{ status: 'delivered' }, { state: 'delivered' }, 'delivered'],
    [{ status: 'read' }, { state: 'delivered' }, 'read'],
    [{ status: 'later' }, null, 'later'],
    [{ status: 5 }, null, ''],
    [
      { status: 'undeliverable' },
      { state: 'failed', reason: 'provider_rejected' },
      'undeliverable',
    ],
    [
      {
        status: 'rejected',
        error: { type: 'https://developer.vonage.com/api-errors/messages#1240' },
      },
      { state: 'failed', reason: 'sms_stop', suppression: 'sms_stop' },
      '1240',
    ],
    [
      { status: 'rejected', error: { title: 1190 } },
      { state: 'failed', reason: 'invalid_address', suppression: 'suppressed_bounce' },
      '1190',
    ],
    [
      { status: 'rejected', error: { title: '1170' } },
      { state: 'failed', reason: 'invalid_address', suppression: 'suppressed_bounce' },
      '1170',
    ],
    [
      { status: 'rejected', error: { title: '1180' } },
      { state: 'failed', reason: 'provider_unavailable' },
      '1180',
    ],
    [
      { status: 'rejected', error: { title: '1070' } },
      { state: 'failed', reason: 'provider_auth' },
      '1070',
    ],
    [
      { status: 'rejected', error: { title: '1000' } },
      { state: 'failed', reason: 'rate_limited' },
      '1000',
    ],
    [
      { status: 'rejected', error: { title: '1210' } },
      { state: 'failed', reason: 'provider_rejected' },
      '1210',
    ],
    [{ status: 'rejected', error: { title: '1360' } }, { state: 'expired' }, '1360'],
  ])('%j is %j', (fields, update, providerCode) => {
    expect(
      reading({ ...fields, to: '4915112345001', message_uuid: 'aaaa-bbbb' })?.readStatus(),
    ).toEqual({ update, providerCode, providerId: 'aaaa-bbbb', address: '+4915112345001' });
  });

  test('an inbound message has a keyword, and is for who sends from its number', () => {
    const inbound = reading({
      from: '4915112345001',
      to: '15005550006',
      text: ' Stop\n',
    })?.readInbound();

    expect(inbound).toMatchObject({ address: '+4915112345001', keyword: 'stop' });
    expect(inbound?.isSender({ from: '+15005550006' })).toBe(true);
    expect(inbound?.isSender({ from: '+15005550007' })).toBe(false);
    expect(inbound?.isSender({})).toBe(false);
  });

  test.each([{}, { from: 5, to: [], text: {} }])(
    '%j says nothing, and throws nothing',
    (fields) => {
      const inbound = reading(fields)?.readInbound();

      expect(inbound?.keyword).toBeNull();
      expect(inbound?.address).toBe('+');
      expect(inbound?.isSender({ from: '+15005550006' })).toBe(false);
    },
  );
});
