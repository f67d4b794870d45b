import { describe, expect, test } from '@jest/globals';
import { parseReport } from './report.ts';

const TOKEN = '03ha4khb30j33t9vojpf3fbqq.1.euesihnsypo64l2zcbohzr4qd';

/** Reports of four mail server products. */
const POSTFIX = `Return-Path: <>
From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
To: bounce+${TOKEN}@bounces.example.com
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="4B2D.1/mx.example.net"

This is a MIME-encapsulated message.

--4B2D.1/mx.example.net
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--4B2D.1/mx.example.net
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 4B2D
Arrival-Date: Thu, 1 Oct 2026 10:00:00 +0000 (UTC)

Final-Recipient: rfc822; ada@example.org
Original-Recipient: rfc822;ada@example.org
Action: failed
Status: 5.1.1
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 550 5.1.1 <ada@example.org>: Recipient address
    rejected: User unknown in virtual mailbox table

--4B2D.1/mx.example.net
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

Subject: Hello
--4B2D.1/mx.example.net--
`;

const WITH_WHOLE_MAIL = `From: postmaster@outlook.example
To: shop@example.com
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/html

<p>Your message to ada@example.org couldn't be delivered.</p>
--b
Content-Type: message/delivery-status

Reporting-MTA: dns;outlook.example

Final-Recipient: rfc822;ada@example.org
Action: failed
Status: 5.0.0
Diagnostic-Code: smtp;554 5.2.1 mailbox disabled

--b
Content-Type: message/rfc822

X-Tidings-Return: ${TOKEN}
Subject: Hello
Content-Type: text/html

<p>Hello</p>
--b--
`;

const ARF = `From: <abusedesk@example.net>
To: <abuse@example.com>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="part"

--part
Content-Type: text/plain

This is an email abuse report.
--part
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <bounce+${TOKEN}@bounces.example.com>

--part
Content-Type: message/rfc822
Content-Disposition: inline

Received: from mailserver.example.net
Subject: Earn money

Spam Spam Spam
--part--
`;

const parsed = (text: string) => parseReport(Buffer.from(text.replaceAll('\n', '\r\n')));

test('a Postfix report: status, diagnostic on one line, token of the return address', async () => {
  expect(await parsed(POSTFIX)).toEqual({
    report: {
      type: 'bounce',
      action: 'failed',
      status: '5.1.1',
      diagnostic:
        'smtp; 550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown in virtual mailbox table',
    },
    tokens: [TOKEN],
    recipients: ['ada@example.org'],
  });
});

test('a report with the whole mail: token of its header', async () => {
  expect(await parsed(WITH_WHOLE_MAIL)).toMatchObject({
    report: { action: 'failed', status: '5.0.0', diagnostic: 'smtp;554 5.2.1 mailbox disabled' },
    tokens: [TOKEN],
  });
});

test('an abuse report of RFC 5965', async () => {
  expect(await parsed(ARF)).toEqual({
    report: { type: 'complaint', feedbackType: 'abuse' },
    tokens: [TOKEN],
    recipients: [],
  });
  expect(
    await parsed(ARF.replace('User-Agent:', 'Original-Rcpt-To: <ada@example.org>\nUser-Agent:')),
  ).toMatchObject({ recipients: ['ada@example.org'] });
});

test('line feeds without carriage returns, as some pipes write them', async () => {
  expect(await parseReport(Buffer.from(POSTFIX))).toMatchObject({
    report: { status: '5.1.1' },
    tokens: [TOKEN],
  });
});

test('with several recipients, the failed one counts', async () => {
  const two = POSTFIX.replace(
    'Final-Recipient:',
    'Final-Recipient: rfc822; first@example.org\nAction: relayed\nStatus: 2.0.0\n\nFinal-Recipient:',
  );

  expect(await parsed(two)).toMatchObject({ report: { action: 'failed', status: '5.1.1' } });
});

test.each([
  '',
  'no mail',
  'Subject: Re: Hello\n\nThank you',
  'Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n\n--b--',
])('not a report: %j', async (text) => {
  expect((await parsed(text)).report).toBeNull();
});

describe('hostile input is parsed quickly', () => {
  test.each([
    ['many tokens', `To: ${'03ha4khb30j33t9vojpf3fbqq.1.'.repeat(30_000)}\n\n`],
    [
      'deep nesting',
      Array.from(
        { length: 5_000 },
        (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n`,
      ).join(''),
    ],
    ['many fields', POSTFIX.replace('Action: failed', 'X: y\n'.repeat(20_000))],
    ['a long address', POSTFIX.replace('ada@example.org', 'a'.repeat(900_000))],
  ])('%s', async (_name, text) => {
    const begun = performance.now();
    await parsed(text).catch(() => undefined);

    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});

test('of a mail with very many lines the first ones are read', async () => {
  const mail = (linesBefore: number): Buffer =>
    Buffer.from(
      POSTFIX.replace(
        'could not be delivered.\n',
        `could not be delivered.\n${'a\n'.repeat(linesBefore)}`,
      ),
    );

  expect((await parseReport(mail(9_000))).report).toMatchObject({ status: '5.1.1' });
  expect((await parseReport(mail(11_000))).report).toMatchObject({ status: '' });
});
