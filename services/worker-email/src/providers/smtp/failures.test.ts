import { describe, expect, test } from '@jest/globals';
import { EgressBlockedError } from '@tidings/egress';
import { classifySmtpFailure, type SmtpFailure } from './error-map.ts';

const refusal = (responseCode: number, response: string, rest: SmtpFailure = {}): SmtpFailure => ({
  code: 'EENVELOPE',
  command: 'RCPT TO',
  responseCode,
  response,
  ...rest,
});

describe('a reply decides by its enhanced code, then by its number', () => {
  test.each([
    [550, '550 5.1.1 No such user', 'invalid_address', 'invalid_address'],
    [550, '550 5.1.2 Bad destination system', 'invalid_address', 'invalid_address'],
    [553, '553 5.1.3 Bad destination syntax', 'invalid_address', 'invalid_address'],
    [551, '551 5.1.6 Moved', 'invalid_address', 'invalid_address'],
    [556, '556 5.1.10 Null MX', 'invalid_address', 'invalid_address'],
    [550, '550 5.2.1 Mailbox disabled', 'invalid_address', 'invalid_address'],
    [552, '552 5.2.2 Mailbox full', 'transient', 'provider_unavailable'],
    [452, '452 4.2.2 Mailbox full', 'transient', 'provider_unavailable'],
    [552, '552 5.3.4 Message too big', 'permanent', 'payload_too_large'],
    [552, '552 Too much mail data', 'permanent', 'payload_too_large'],
    [554, '554 5.6.0 Bad content', 'permanent', 'provider_rejected'],
    [554, '554 5.7.1 Spam', 'permanent', 'provider_rejected'],
    [550, '550 Go away', 'permanent', 'provider_rejected'],
    [530, '530 5.7.0 Authentication required', 'configuration', 'provider_auth'],
    [535, '535 5.7.8 Bad credentials', 'configuration', 'provider_auth'],
    [534, '534 5.7.9 Mechanism too weak', 'configuration', 'provider_auth'],
    [550, '550 5.7.26 DMARC', 'configuration', 'provider_auth'],
    [550, '550 5.7.27 SPF', 'configuration', 'provider_auth'],
    [421, '421 4.3.2 Shutting down', 'rate_limited', undefined],
    [421, '421 Try later', 'rate_limited', undefined],
    [450, '450 4.7.1 Too many mails', 'rate_limited', undefined],
    [454, '454 4.7.0 Temporary authentication failure', 'rate_limited', undefined],
    [451, '451 4.3.0 Local error', 'transient', 'provider_unavailable'],
    [452, '452 4.3.1 No space', 'transient', 'provider_unavailable'],
  ] as const)('%i %s → %s', (responseCode, response, status, reason) => {
    for (const isHandedOver of [false, true]) {
      const result = classifySmtpFailure(refusal(responseCode, response), isHandedOver);

      expect(result).toMatchObject({
        status,
        ...(reason && { reason }),
        providerMessage: response,
      });
      expect(result.providerCode).toContain(String(responseCode));
    }
  });

  test('a greylisted mail is tried again after five minutes at the earliest', () => {
    expect(classifySmtpFailure(refusal(451, '451 Greylisted'), false)).toMatchObject({
      status: 'transient',
      retryAfterMs: 300_000,
    });
    expect(classifySmtpFailure(refusal(450, '450 Greylisted'), false)).toMatchObject({
      status: 'transient',
      retryAfterMs: 300_000,
    });
    expect(classifySmtpFailure(refusal(452, '452 Full'), false)).not.toHaveProperty('retryAfterMs');
  });

  test.each(['CONN', 'EHLO', 'HELO', 'STARTTLS'])(
    'a 5xx at %s is about the server, not about the mail',
    (command) => {
      expect(
        classifySmtpFailure(
          refusal(554, '554 No service here', { code: 'EPROTOCOL', command }),
          false,
        ),
      ).toMatchObject({
        status: 'transient',
        reason: 'provider_unavailable',
      });
    },
  );

  test('any 5xx to AUTH is a credentials error', () => {
    expect(
      classifySmtpFailure(
        refusal(550, '550 Account locked', { code: 'EAUTH', command: 'AUTH PLAIN' }),
        false,
      ),
    ).toMatchObject({
      status: 'configuration',
      reason: 'provider_auth',
    });
  });
});

describe('without a reply it decides how far the mail came', () => {
  test.each(['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'ESTREAM', undefined])(
    '%s after the whole mail was written: unknown',
    (code) => {
      const error = Object.assign(new Error('gone'), code === undefined ? {} : { code });

      expect(classifySmtpFailure(error, true)).toMatchObject({ status: 'unknown' });
    },
  );

  test.each([
    ['ECONNECTION', 'transient', 'provider_unavailable'],
    ['ESOCKET', 'transient', 'provider_unavailable'],
    ['ECONNREFUSED', 'transient', 'provider_unavailable'],
    ['ENOTFOUND', 'transient', 'provider_unavailable'],
    ['EDNS', 'transient', 'provider_unavailable'],
    ['ETLS', 'transient', 'provider_unavailable'],
    ['ETIMEDOUT', 'transient', 'provider_timeout'],
    ['EAUTH', 'configuration', 'provider_auth'],
    ['EENVELOPE', 'invalid_address', 'invalid_address'],
  ] as const)('%s before that → %s', (code, status, reason) => {
    expect(classifySmtpFailure(Object.assign(new Error('no'), { code }), false)).toMatchObject({
      status,
      reason,
      providerCode: code,
    });
  });

  test.each([null, undefined, 'text', 5])('%s thrown is a failure like any other', (thrown) => {
    expect(classifySmtpFailure(thrown, false)).toMatchObject({ status: 'transient' });
    expect(classifySmtpFailure(thrown, true)).toMatchObject({ status: 'unknown' });
  });
});

test('an address that may not be reached is a matter of configuration', () => {
  expect(classifySmtpFailure(new EgressBlockedError('10.0.0.1'), false)).toMatchObject({
    status: 'configuration',
    providerCode: 'egress_refused',
  });
});
