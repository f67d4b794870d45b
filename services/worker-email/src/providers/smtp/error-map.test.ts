import { describe, expect, test } from '@jest/globals';
import { effectsOf } from '@tidings/channel-worker/testing/error-effects';
import { EgressBlockedError } from '@tidings/egress';
import { classifySmtpFailure } from './error-map.ts';

const effectOf = (error: unknown, isHandedOver: boolean) =>
  effectsOf('EMAIL', classifySmtpFailure(error, isHandedOver));

const reply = (text: string, command = 'RCPT TO', code = 'EENVELOPE') => ({
  responseCode: Number(text.slice(0, 3)),
  response: text,
  command,
  code,
});

type Row = readonly [
  name: string,
  error: unknown,
  status: string,
  state: string,
  reason: string | undefined,
  last: string,
  account: string,
];

/**
 * The server's response → its class → the delivery's state, now and after the retry time → the
 * account's health.
 */
const ROWS: readonly Row[] = [
  [
    '4yz at MAIL FROM',
    reply('451 4.3.0 Local error', 'MAIL FROM'),
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'failing',
  ],
  [
    '4yz after DATA',
    reply('452 4.3.1 Disk full', 'DATA', 'EMESSAGE'),
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'failing',
  ],
  [
    'greylisted 450',
    reply('450 Greylisted'),
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'works',
  ],
  [
    'greylisted 451',
    reply('451 Greylisted'),
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'works',
  ],
  ['5yz', reply('550 Go away'), 'permanent', 'failed', 'provider_rejected', 'failed', 'works'],
  [
    '5.1.1',
    reply('550 5.1.1 No such user'),
    'invalid_address',
    'failed',
    'invalid_address',
    'failed',
    'works',
  ],
  [
    '5.1.2',
    reply('550 5.1.2 No such system'),
    'invalid_address',
    'failed',
    'invalid_address',
    'failed',
    'works',
  ],
  [
    '5.1.3',
    reply('553 5.1.3 Syntax'),
    'invalid_address',
    'failed',
    'invalid_address',
    'failed',
    'works',
  ],
  [
    '5.1.6',
    reply('551 5.1.6 Moved'),
    'invalid_address',
    'failed',
    'invalid_address',
    'failed',
    'works',
  ],
  [
    '5.1.10',
    reply('556 5.1.10 Null MX'),
    'invalid_address',
    'failed',
    'invalid_address',
    'failed',
    'works',
  ],
  [
    '5.2.1',
    reply('550 5.2.1 Disabled'),
    'invalid_address',
    'failed',
    'invalid_address',
    'failed',
    'works',
  ],
  [
    '5.2.2 mailbox full',
    reply('552 5.2.2 Full'),
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'works',
  ],
  [
    '4.2.2 mailbox full',
    reply('452 4.2.2 Full'),
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'works',
  ],
  [
    '5.3.4',
    reply('552 5.3.4 Too big', 'DATA'),
    'permanent',
    'failed',
    'payload_too_large',
    'failed',
    'works',
  ],
  [
    '552',
    reply('552 Too much', 'DATA'),
    'permanent',
    'failed',
    'payload_too_large',
    'failed',
    'works',
  ],
  [
    '5.6.x',
    reply('554 5.6.3 Conversion', 'DATA'),
    'permanent',
    'failed',
    'provider_rejected',
    'failed',
    'works',
  ],
  [
    '5.7.1 content',
    reply('554 5.7.1 Spam', 'DATA'),
    'permanent',
    'failed',
    'provider_rejected',
    'failed',
    'works',
  ],
  [
    '535 5.7.8',
    reply('535 5.7.8 Bad credentials', 'AUTH PLAIN', 'EAUTH'),
    'configuration',
    'retry_wait',
    'provider_auth',
    'retry_wait',
    'misconfigured',
  ],
  [
    '530',
    reply('530 Authenticate first', 'MAIL FROM'),
    'configuration',
    'retry_wait',
    'provider_auth',
    'retry_wait',
    'misconfigured',
  ],
  [
    '5.7.0 auth',
    reply('530 5.7.0 Authenticate first', 'MAIL FROM'),
    'configuration',
    'retry_wait',
    'provider_auth',
    'retry_wait',
    'misconfigured',
  ],
  [
    '5.7.26 DMARC',
    reply('550 5.7.26 Unauthenticated', 'DATA'),
    'configuration',
    'retry_wait',
    'provider_auth',
    'retry_wait',
    'misconfigured',
  ],
  [
    '5.7.27 SPF',
    reply('550 5.7.27 SPF', 'DATA'),
    'configuration',
    'retry_wait',
    'provider_auth',
    'retry_wait',
    'misconfigured',
  ],
  [
    '421',
    reply('421 Try later', 'CONN'),
    'rate_limited',
    'retry_wait',
    'rate_limited',
    'retry_wait',
    'limited',
  ],
  [
    '4.7.x throttled',
    reply('450 4.7.28 Too many', 'MAIL FROM'),
    'rate_limited',
    'retry_wait',
    'rate_limited',
    'retry_wait',
    'limited',
  ],
  [
    'refused connection',
    { code: 'ECONNREFUSED' },
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'failing',
  ],
  [
    'unknown host',
    { code: 'EDNS' },
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'failing',
  ],
  [
    'broken TLS',
    { code: 'ETLS' },
    'transient',
    'retry_wait',
    'provider_unavailable',
    'failed',
    'failing',
  ],
  [
    'connect timeout',
    { code: 'ETIMEDOUT' },
    'transient',
    'retry_wait',
    'provider_timeout',
    'failed',
    'failing',
  ],
  [
    'an address that must not be reached',
    new EgressBlockedError('10.0.0.1'),
    'configuration',
    'retry_wait',
    'provider_rejected',
    'retry_wait',
    'misconfigured',
  ],
];

test.each(ROWS)('%s', (_name, error, status, state, reason, last, account) => {
  expect(effectOf(error, false)).toMatchObject({
    status,
    state,
    reason,
    last,
    account,
    isUnmapped: false,
  });
});

describe('what the server meant', () => {
  test.each([
    [
      '550 5.4.1 Recipient address rejected: Access denied. AS(1) [X.prod]',
      'RCPT TO',
      'invalid_address',
      'no_mailbox',
    ],
    ['550 Unknown User', 'RCPT TO', 'invalid_address', 'no_mailbox'],
    [
      '550 Requested action not taken: mailbox unavailable',
      'DATA',
      'invalid_address',
      'no_mailbox',
    ],
    ['550 5.1.0 <bounce@cases.example> sender rejected', 'RCPT TO', 'permanent', 'refused'],
    ['554 Client host [194.5.1.10] is unwelcome', 'RCPT TO', 'permanent', 'refused'],
    ['554 Go away, 194.5.1.10', 'RCPT TO', 'permanent', 'unknown'],
    ['550 5.1.1 too many recipients this hour', 'RCPT TO', 'permanent', 'policy'],
    ['550 5.1.1 user unknown', 'MAIL FROM', 'permanent', 'refused'],
    ['550 The mailbox is over quota', 'RCPT TO', 'transient', 'mailbox_full'],
    ['450 4.2.0 Busy', 'RCPT TO', 'transient', 'temporary'],
    ['450 4.7.28 Unusual rate', 'RCPT TO', 'rate_limited', 'policy'],
  ])('%s at %s: %s', (text, command, status, meaning) => {
    const result = classifySmtpFailure(reply(text, command), false);

    expect(result).toMatchObject({ status, bounce: { class: meaning } });
    expect('suppression' in result).toBe(meaning === 'no_mailbox');
  });

  test('a full mailbox says nothing about the account', () => {
    expect(effectOf(reply('552 Mailbox full'), false)).toMatchObject({ account: 'works' });
  });

  test.each([
    ['a refused connection', reply('554 No SMTP service here', 'CONN')],
    ['wrong credentials', reply('535 5.7.8 Bad credentials', 'AUTH PLAIN', 'EAUTH')],
    ['no reply', { code: 'ECONNRESET' }],
  ])('%s is no bounce', (_name, error) => {
    expect(classifySmtpFailure(error, false)).not.toHaveProperty('bounce');
  });
});

test.each(['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'ECONNRESET'])(
  '%s after the final dot: unknown, and never retried',
  (code) => {
    expect(effectOf({ code }, true)).toMatchObject({
      status: 'unknown',
      state: 'unknown',
      reason: 'outcome_unknown',
      last: 'unknown',
      account: 'failing',
      isUnmapped: false,
    });
  },
);

describe('what the map does not have is counted', () => {
  test.each([
    ['a reply that is no refusal', reply('250 2.0.0 Ok', 'DATA', 'EMESSAGE')],
    ['a reply beyond all classes', reply('600 What', 'DATA', 'EMESSAGE')],
    ['an error of a new name', { code: 'ENEW' }],
  ])('%s: tried again before the final dot, unknown after it', (_name, error) => {
    expect(effectOf(error, false)).toMatchObject({
      status: 'transient',
      state: 'retry_wait',
      last: 'failed',
      isUnmapped: true,
    });
    expect(effectOf(error, true)).toMatchObject({
      status: 'unknown',
      state: 'unknown',
      isUnmapped: true,
    });
  });
});
