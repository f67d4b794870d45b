import { describe, expect, test } from '@jest/globals';
import type { BounceClass } from '@tidings/contracts/push/bounces';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { BounceRule } from './bounce-rule.ts';
import { classifyBounce } from './classify-bounce.ts';
import { CODE_RULES } from './code-rules.ts';
import { NO_MAILBOX_RULES } from './no-mailbox-rules.ts';
import { OVERRIDING_RULES } from './overriding-rules.ts';

/** A code with the prefix. */
const whole = (prefix: string): string =>
  prefix.endsWith('.') ? `${prefix}9.9`.split('.').slice(0, 3).join('.') : prefix;

const ADDRESS = '<ada@example.org>';

type Row = readonly [
  text: string,
  status: string | undefined,
  class_: BounceClass,
  reason: DeliveryReason,
  evidence: string,
];

/** Answers of servers, written anew in their form. */
const ROWS: readonly Row[] = [
  // No such mailbox, by any code or none.
  [
    `550 5.1.1 ${ADDRESS}: Recipient address rejected: User unknown in virtual mailbox table`,
    undefined,
    'no_mailbox',
    'invalid_address',
    '5.1.1 "user unknown"',
  ],
  [
    'smtp;550 5.4.1 Recipient address rejected: Access denied. AS(000000000) [X.prod.protection.outlook.example]',
    '5.4.1',
    'no_mailbox',
    'invalid_address',
    '5.4.1 "access denied"',
  ],
  [
    '550 5.4.1 [ada@example.org]: Recipient address rejected: Access denied [X.prod.protection.outlook.example]',
    undefined,
    'no_mailbox',
    'invalid_address',
    '5.4.1 "access denied"',
  ],
  ['smtp; 550 Unknown User', '5.0.0', 'no_mailbox', 'invalid_address', '5.0.0 "unknown user"'],
  [
    '550-5.1.1 The email account that you tried to reach does not\n550-5.1.1 exist. Please try double-checking the address.\n550 5.1.1  https://support.google.com/mail/?p=NoSuchUser',
    undefined,
    'no_mailbox',
    'invalid_address',
    '5.1.1 "account that you tried to reach does not exist"',
  ],
  [
    '550 5.2.1 The email account that you tried to reach is disabled.',
    undefined,
    'no_mailbox',
    'invalid_address',
    '5.2.1 "account that you tried to reach is disabled"',
  ],
  [
    "554 delivery error: dd This user doesn't have a yahoo.example account (ada) [0] - mta1.mail.yahoo.example",
    undefined,
    'no_mailbox',
    'invalid_address',
    `554 "user doesn't have a"`,
  ],
  [
    '550 Requested action not taken: mailbox unavailable',
    undefined,
    'no_mailbox',
    'invalid_address',
    '550 "mailbox unavailable"',
  ],
  [
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
    undefined,
    'no_mailbox',
    'invalid_address',
    '5.5.0 "mailbox unavailable"',
  ],
  [
    '#550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup##',
    undefined,
    'no_mailbox',
    'invalid_address',
    '5.1.10 "recipientnotfound"',
  ],
  ['550 5.7.1 No such user!', undefined, 'no_mailbox', 'invalid_address', '5.7.1 "no such user"'],
  [
    'smtp; 550 #5.1.0 Address rejected.',
    '5.0.0',
    'no_mailbox',
    'invalid_address',
    '5.1.0 "address rejected"',
  ],
  [
    "smtp; 5.1.0 - Unknown address error 550-'5.1.1 <ada@example.org>: no such user' (delivery attempts: 0)",
    '5.0.0',
    'no_mailbox',
    'invalid_address',
    '5.1.1 "no such user"',
  ],
  [
    'Sorry, no mailbox here by that name. (#5.1.1)',
    undefined,
    'no_mailbox',
    'invalid_address',
    '5.1.1 "no mailbox here"',
  ],
  [
    'X-Notes; User ada (ada@example.org) not listed in Domino Directory',
    '5.0.0',
    'no_mailbox',
    'invalid_address',
    '5.0.0 "not listed in domino directory"',
  ],
  [
    'X-Postfix; host mx.example.org[192.0.2.1] said: 550 5.1.1 mailbox gone (in reply to RCPT TO command)',
    '5.1.1',
    'no_mailbox',
    'invalid_address',
    '5.1.1',
  ],
  ['556 5.1.10 Null MX', undefined, 'no_mailbox', 'invalid_address', '5.1.10 "null mx"'],

  // Codes of a missing mailbox that are none.
  [
    '550 5.1.0 <bounce@shop.example> sender rejected. Code AUP-1310',
    undefined,
    'refused',
    'provider_rejected',
    '5.1.0 "sender rejected"',
  ],
  [
    '550 5.1.1 too many recipients from you this hour',
    undefined,
    'policy',
    'provider_rejected',
    '5.1.1 "too many recipients"',
  ],
  [
    '550 5.1.1 mailbox for user is full',
    undefined,
    'mailbox_full',
    'provider_unavailable',
    '5.1.1 "mailbox for user is full"',
  ],
  [
    '550 5.1.1 Sender verify failed: no such user',
    undefined,
    'refused',
    'provider_rejected',
    '5.1.1 "sender verify failed"',
  ],
  [
    '550 5.1.1 The mailbox is temporarily closed',
    undefined,
    'temporary',
    'provider_unavailable',
    '5.1.1 "temporar"',
  ],
  ['550 5.1.8 no such domain', undefined, 'refused', 'provider_rejected', '5.1.8'],
  ['550 5.1.4 Ambiguous', undefined, 'unknown', 'provider_rejected', '5.1.4'],
  ['550 5.1.0 Other address status', undefined, 'unknown', 'provider_rejected', '5.1.0'],
  [
    "smtp; 5.1.0 - Unknown address error 550-'5.7.1 <ada@example.org>... Access denied' (delivery attempts: 0)",
    '5.0.0',
    'policy',
    'provider_rejected',
    '5.7.1',
  ],
  [
    '553 5.1.3 http://www.spamhaus.org/query/bl?ip=192.0.2.222',
    undefined,
    'refused',
    'provider_rejected',
    '5.1.3 "spamhaus"',
  ],
  [
    '550 5.1.1 RCP-P2 Refused due to recipient preferences',
    undefined,
    'refused',
    'provider_rejected',
    '5.1.1 "recipient preferences"',
  ],
  [
    'SMTP error from remote mail server after MAIL FROM:<x@shop.example>: host mx [192.0.2.1]: 550 no such user',
    undefined,
    'refused',
    'provider_rejected',
    '550 "no such user"',
  ],
  [
    'host mx.example.org said: 550 unknown user (in reply to MAIL FROM command)',
    undefined,
    'refused',
    'provider_rejected',
    '550 "mail from command"',
  ],

  // An IP address, a version and a time are no codes.
  [
    '554 Service unavailable; Client host [194.5.1.10] blocked by a list',
    '5.0.0',
    'refused',
    'provider_rejected',
    '5.0.0 "client host"',
  ],
  ['smtp; 554 Go away, 194.5.1.10', '5.0.0', 'unknown', 'provider_rejected', '5.0.0'],
  ['smtp; 5.1.1.10 is not welcome', '', 'unknown', 'provider_rejected', 'no code'],
  ['550 5.1.1.10 is not welcome', '', 'unknown', 'provider_rejected', '550'],
  ['Exchange 5.2.1 refused it at 5:50', '', 'unknown', 'provider_rejected', 'no code'],

  // Full, policy, content, temporary.
  [
    "552-5.2.2 The recipient's inbox is out of storage space.",
    undefined,
    'mailbox_full',
    'provider_unavailable',
    '5.2.2 "out of storage space"',
  ],
  [
    '452 4.2.2 The email account that you tried to reach is over quota',
    undefined,
    'mailbox_full',
    'provider_unavailable',
    '4.2.2 "over quota"',
  ],
  [
    '550 Benutzer hat zuviele Mails auf dem Server. / User has too many messages on the server.',
    undefined,
    'mailbox_full',
    'provider_unavailable',
    '550 "too many messages on the server"',
  ],
  [
    '552 Requested mail action aborted: exceeded storage allocation',
    undefined,
    'mailbox_full',
    'provider_unavailable',
    '552 "exceeded storage allocation"',
  ],
  [
    '552 5.3.4 Message too big for system',
    undefined,
    'refused',
    'payload_too_large',
    '5.3.4 "message too big"',
  ],
  ['552 5.2.3 x', undefined, 'refused', 'payload_too_large', '5.2.3'],
  [
    '554 5.7.1 Service unavailable; Client host [192.0.2.9] blocked using zen.spamhaus.org',
    undefined,
    'refused',
    'provider_rejected',
    '5.7.1 "blocked using"',
  ],
  [
    '550-5.7.26 This mail has been blocked because the sender is unauthenticated.',
    undefined,
    'refused',
    'provider_rejected',
    '5.7.26',
  ],
  ['554 5.7.1 Message rejected as spam', undefined, 'refused', 'provider_rejected', '5.7.1 "spam"'],
  ['554 5.7.1 Relay access denied', undefined, 'policy', 'provider_rejected', '5.7.1'],
  [
    '550 5.7.1 Recipient address rejected: Access denied (state 14)',
    undefined,
    'policy',
    'provider_rejected',
    '5.7.1',
  ],
  [
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume',
    undefined,
    'temporary',
    'provider_unavailable',
    '4.7.0 "temporar"',
  ],
  [
    '450 4.2.1 The user you are trying to contact is receiving mail too quickly.',
    undefined,
    'policy',
    'provider_unavailable',
    '4.2.1 "receiving mail too quickly"',
  ],
  [
    '450 4.1.1 <ada@example.org>: Recipient address rejected: unverified address: user unknown',
    undefined,
    'temporary',
    'provider_unavailable',
    '4.1.1',
  ],
  [
    'connect to mx.example.org[192.0.2.1]:25: Connection timed out',
    '4.4.1',
    'temporary',
    'provider_unavailable',
    '4.4.1 "timed out"',
  ],
  ['450 4.1.1 no', '5.1.1', 'temporary', 'provider_unavailable', '5.1.1'],
  ['', '4.4.7', 'temporary', 'provider_unavailable', '4.4.7'],
  ['', '', 'unknown', 'provider_rejected', 'no code'],
  ['550 Go away', undefined, 'unknown', 'provider_rejected', '550'],
];

test.each(ROWS)('%s (%s): %s', (text, status, class_, reason, evidence) => {
  const { bounce, reason: got } = classifyBounce({ text, ...(status !== undefined && { status }) });

  expect({ bounce, reason: got }).toEqual({ bounce: { class: class_, evidence }, reason });
});

test('a reply to MAIL says nothing about a mailbox', () => {
  expect(classifyBounce({ text: '550 5.1.1 user unknown', isOfSender: true }).bounce.class).toBe(
    'refused',
  );
});

test('words of hosts and addresses do not decide', () => {
  expect(
    classifyBounce({
      text: 'host mx.antispam.example[192.0.2.1] said: 550 5.1.1 <no.such.user.spam@full.example>: gone',
    }).bounce,
  ).toEqual({ class: 'no_mailbox', evidence: '5.1.1' });
});

describe('each rule can decide, and says where it comes from', () => {
  const rules: readonly BounceRule[] = [...OVERRIDING_RULES, ...NO_MAILBOX_RULES, ...CODE_RULES];
  const cases = rules.flatMap(({ class: each, codes = [''], phrases = [''], source }) =>
    codes.flatMap((code) => phrases.map((phrase) => [each, whole(code), phrase, source] as const)),
  );

  test.each(cases)('%s: %s %s', (each, status, phrase, source) => {
    const reply = status.startsWith('4') ? 450 : 550;

    expect(classifyBounce({ text: `${reply} ${status} ${phrase}` }).bounce.class).toBe(each);
    expect(source).not.toBe('');
  });

  test('only a permanent refusal suppresses', () => {
    expect(NO_MAILBOX_RULES.every((rule) => rule.class === 'no_mailbox')).toBe(true);
    expect([...OVERRIDING_RULES, ...CODE_RULES].some((rule) => rule.class === 'no_mailbox')).toBe(
      false,
    );
    for (const { codes = ['5.1.1'], phrases = [''] } of NO_MAILBOX_RULES)
      for (const phrase of phrases)
        expect(
          classifyBounce({ text: `450 ${(codes[0] ?? '').replace('5', '4')} ${phrase}` }).bounce
            .class,
        ).not.toBe('no_mailbox');
  });

  test('phrases are as texts are compared', () => {
    for (const { phrases = [] } of rules)
      for (const phrase of phrases) expect(phrase).toBe(phrase.toLowerCase().trim());
  });
});

test('a long answer is read in bounded time', () => {
  const begun = process.cpuUsage();
  for (const text of [
    'a-'.repeat(500_000),
    '550 '.repeat(250_000),
    '5.1.'.repeat(250_000),
    '<'.repeat(1e6),
    'a.'.repeat(5e5),
  ])
    classifyBounce({ text });

  expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000);
});
