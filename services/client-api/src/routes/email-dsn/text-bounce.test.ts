import { describe, expect, test } from '@jest/globals';
import { classifyBounce } from '@tidings/providers/email/classify-bounce';
import { parseReport } from './report.ts';

const TOKEN = '03ha4khb30j33t9vojpf3fbqq.1.euesihnsypo64l2zcbohzr4qd';
const TO = `To: bounce+${TOKEN}@bounces.example.com`;

const parsed = (text: string) => parseReport(Buffer.from(text.replaceAll('\n', '\r\n')));

async function meaningOf(text: string) {
  const { report, tokens, recipients } = await parsed(text);
  return report?.type === 'bounce'
    ? {
        action: report.action,
        class: classifyBounce({ text: report.diagnostic, status: report.status }).bounce.class,
        tokens,
        recipients,
      }
    : report;
}

/** Each in the form of its mail server, with words of its own. */
const BOUNCES: readonly (readonly [name: string, mail: string, class_: string])[] = [
  [
    'Exim',
    `From: Mail Delivery System <Mailer-Daemon@mx.example.net>
${TO}
Auto-Submitted: auto-replied
X-Failed-Recipients: ada@example.org
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ada@example.org
    SMTP error from remote mail server after RCPT TO:<ada@example.org>:
    host mx.example [192.0.2.1]: 550 5.1.1 User unknown

------ This is a copy of the message, including all the headers. ------

Subject: Your mailbox is full of offers

Mailbox full? 552 5.2.2
`,
    'no_mailbox',
  ],
  [
    'Exim, of its own domain',
    `From: Mail Delivery System <Mailer-Daemon@mx.example.net>
${TO}
X-Failed-Recipients: ada@example.org
Subject: Mail delivery failed: returning message to sender

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ada@example.org
    Unrouteable address
`,
    'no_mailbox',
  ],
  [
    'Exim that gave up',
    `From: Mail Delivery System <Mailer-Daemon@mx.example.net>
${TO}
X-Failed-Recipients: ada@example.org
Subject: Mail delivery failed: returning message to sender

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ada@example.org
    retry timeout exceeded
`,
    'temporary',
  ],
  [
    'hMailServer',
    `Return-Path: <>
From: mailer-daemon@mx.example.net
${TO}
Subject: Message undeliverable: c

Your message did not reach some or all of the intended recipients.

   Sent: Sat, 28 Nov 2026 12:00:00 +0000
   Subject: c

The following recipient(s) could not be reached:

ada@example.org
   Error Type: SMTP
   Remote server (192.0.2.1) issued an error.
   hMailServer sent: RCPT TO:<ada@example.org>
   Remote server replied: 550 5.1.1 User unknown
`,
    'no_mailbox',
  ],
  [
    'qmail',
    `From: MAILER-DAEMON@mx.example.net
${TO}
Subject: failure notice

Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ada@example.org>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

Return-Path: <bounce+x@bounces.example.com>
`,
    'no_mailbox',
  ],
  [
    'qmail, of another server',
    `From: MAILER-DAEMON@mx.example.net
${TO}
Subject: failure notice

Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ada@example.org>:
192.0.2.1 does not like recipient.
Remote host said: 552 5.2.2 mailbox is full
Giving up on 192.0.2.1.
`,
    'mailbox_full',
  ],
  [
    'Postfix, as text',
    `From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
${TO}
Subject: Undelivered Mail Returned to Sender

This is the mail system at host mx.example.net.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.

<ada@example.org>: host mx.example.org[192.0.2.1] said: 554 5.7.1 Message
    rejected as spam (in reply to end of DATA command)
`,
    'refused',
  ],
  [
    'sendmail, as text',
    `From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>
${TO}
Subject: Returned mail: User unknown

The original message was received at Sat, 28 Nov 2026 12:00:00 GMT

   ----- The following addresses had permanent fatal errors -----
<ada@example.org>

   ----- Transcript of session follows -----
... while talking to mx.example.org.:
>>> RCPT To:<ada@example.org>
<<< 550 5.1.1 <ada@example.org>... User unknown
550 <ada@example.org>... User unknown
`,
    'no_mailbox',
  ],
  [
    'Exchange 2003',
    `From: System Administrator <postmaster@corp.example>
${TO}
Subject: Undeliverable: Hello

Your message

  To:      ada@example.org
  Subject: Hello

did not reach the following recipient(s):

ada@example.org on Sat, 28 Nov 2026 12:00:00 +0100
    The e-mail account does not exist at the organization this message was sent to.
    <mail.corp.example #5.1.1>
`,
    'no_mailbox',
  ],
  [
    'Exchange 2010',
    `From: Microsoft Exchange <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@corp.example>
${TO}
Subject: Undeliverable: Hello

Delivery has failed to these recipients or groups:

ada@example.org
The e-mail address you entered couldn't be found.

Diagnostic information for administrators:

Generating server: ex.corp.example

ada@example.org
#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##

Original message headers:

Received: from x by y
`,
    'no_mailbox',
  ],
  [
    'Domino',
    `From: Postmaster@corp.example
${TO}
Subject: DELIVERY FAILURE: User ada (ada@example.org) not listed in Domino Directory

Your message

  Subject: Hello

was not delivered to:

  ada@example.org

because:

  User ada (ada@example.org) not listed in Domino Directory
`,
    'no_mailbox',
  ],
  [
    'Google, as text',
    `From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
${TO}
Subject: Delivery Status Notification (Failure)

Delivery to the following recipient failed permanently:

     ada@example.org

Technical details of permanent failure:
Google tried to deliver your message, but it was rejected by the recipient domain.
The error that the other server returned was: 550 550 5.1.1 unknown user (state 14).

----- Original message -----

Received: by 192.0.2.5
`,
    'no_mailbox',
  ],
  [
    'a server of its own words that quotes a reply',
    `From: mailer-daemon@mx.example.net
${TO}
Subject: Your letter

Er ging nicht:
ada@example.org
<<< 550 5.1.1 no such user
`,
    'no_mailbox',
  ],
  [
    'HTML alone',
    `From: postmaster@mx.example.net
${TO}
Subject: Undeliverable
Content-Type: text/html

<p>Your message could not be delivered to <b>ada@example.org</b>:</p><p>550 5.1.1 user unknown</p>
`,
    'no_mailbox',
  ],
];

test.each(BOUNCES)('%s', async (_name, mail, class_) => {
  expect(await meaningOf(mail)).toMatchObject({
    action: 'failed',
    class: class_,
    tokens: [TOKEN],
    recipients: expect.arrayContaining(['ada@example.org']),
  });
});

test('a report without a diagnostic has the words of its text', async () => {
  const mail = `From: MAILER-DAEMON@mx.example.net
${TO}
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

<ada@example.org>: 550 5.1.1 user unknown

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: 5.0.0

--b--
`;

  expect(await meaningOf(mail)).toMatchObject({ action: 'failed', class: 'no_mailbox' });
});

describe('the server still tries', () => {
  test.each([
    [
      'Exim',
      'Warning: message 1abc delayed 24 hours',
      `This message was created automatically by mail delivery software.
A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours on the queue on mx.example.net.

  ada@example.org
    host mx.example [192.0.2.1]: 450 4.1.1 user unknown

No action is required on your part. Delivery attempts will continue for
some time, and this warning may be repeated at intervals.`,
    ],
    [
      'sendmail',
      'Warning: could not send message for past 4 hours',
      `    **********************************************
    **      THIS IS A WARNING MESSAGE ONLY      **
    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **
    **********************************************
<ada@example.org>`,
    ],
    [
      'Google',
      'Delivery Status Notification (Delay)',
      'There was a temporary problem delivering your message to ada@example.org. Gmail will retry for 46 more hours.',
    ],
  ])('%s', async (_name, subject, text) => {
    expect(
      await meaningOf(
        `From: Mail Delivery System <Mailer-Daemon@mx.example.net>\n${TO}\nSubject: ${subject}\n\n${text}\n`,
      ),
    ).toMatchObject({ action: 'delayed', tokens: [TOKEN] });
  });
});

describe('no bounce', () => {
  test.each([
    [
      'out of office (RFC 3834)',
      'From: Ada <ada@example.org>\nAuto-Submitted: auto-replied\nSubject: Automatic reply: Hello',
      'I am out of the office until Monday. Your message could not be delivered to me before.',
    ],
    [
      'out of office of Exchange',
      'From: Ada <ada@example.org>\nX-Auto-Response-Suppress: All\nSubject: Automatic reply: Hello',
      'Ada no longer works here. Mail to <ada@example.org> is not read.',
    ],
    [
      'an answer that quotes a bounce',
      'From: Ada <ada@example.org>\nSubject: Re: Mail delivery failed: returning message to sender',
      '> 550 5.1.1 User unknown\nWhat does that mean?',
    ],
    [
      'a forwarded bounce',
      'From: Ada <ada@example.org>\nSubject: Fwd: failure notice',
      '> From: MAILER-DAEMON@mx.example.net\n> <ada@example.org>:\n> 550 5.1.1 no such user',
    ],
    [
      'a notice of the mail system',
      'From: postmaster@mx.example.net\nSubject: Quarantine summary',
      'Three messages were held for you this week.',
    ],
  ])('%s', async (_name, headers, text) => {
    expect(await meaningOf(`${headers}\n${TO}\n\n${text}\n`)).toBeNull();
  });
});

test('hostile mails are read in bounded time', async () => {
  const begun = process.cpuUsage();
  for (const text of [
    '-'.repeat(900_000),
    '<'.repeat(900_000),
    '>\n'.repeat(20_000),
    'a@'.repeat(400_000),
    '<br '.repeat(200_000),
  ])
    await parsed(`From: mailer-daemon@mx.example.net\n${TO}\nContent-Type: text/html\n\n${text}`);

  expect(process.cpuUsage(begun).user).toBeLessThan(10_000_000);
});
