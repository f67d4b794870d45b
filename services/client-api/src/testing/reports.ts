import { writeChannelSettings } from '@tidings/accounts/channel-settings';
import type { Database } from '@tidings/postgres/database';
import { testSecretBox } from '@tidings/testing';
import { createMail, type MailFacts } from './mails.ts';

/** A mail of an application with a bounce secret. */
export async function createReportedMail(
  db: Database,
  { secret = 'a secret of sixteen', ...facts }: MailFacts & { readonly secret?: string } = {},
) {
  const mail = await createMail(db, { ...facts });
  await writeChannelSettings(db, testSecretBox, {
    applicationId: mail.applicationId,
    channel: 'EMAIL',
    settings: {
      host: 'smtp.example',
      port: 25,
      security: 'none',
      fromAddress: 'shop@example.com',
      bounceDomain: 'bounces.example.com',
    },
    secrets: secret === '' ? {} : { bounceSecret: secret },
  });
  return { ...mail, secret };
}

/** Headers, by default with valid credentials. */
type Sender = {
  readonly applicationId: string;
  readonly secret: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Posts a report as a mail server does. */
export function postReport(
  url: string,
  { applicationId, secret, headers = {} }: Sender,
  body: string,
): Promise<Response> {
  return fetch(`${url}/cb/email/dsn`, {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'message/rfc822',
      Authorization: `Basic ${Buffer.from(`${applicationId}:${secret}`).toString('base64')}`,
    },
    body,
  });
}

type DsnFacts = {
  readonly to?: string;
  readonly action?: string;
  readonly status?: string;
  readonly diagnostic?: string;
  readonly headers?: string;
  /** Empty: the report has no recipient. */ readonly recipient?: string;
};

export function dsnAbout(
  { returnToken }: { readonly returnToken: string },
  {
    to = 'shop@example.com',
    action = 'failed',
    status = '5.1.1',
    diagnostic,
    headers,
    recipient = 'ada@example.org',
  }: DsnFacts,
): string {
  return [
    'From: MAILER-DAEMON@mx.example.net',
    `To: ${to}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    ...(recipient === '' ? [] : [`Final-Recipient: rfc822; ${recipient}`]),
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic === undefined ? [] : [`Diagnostic-Code: ${diagnostic}`]),
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    headers ?? `X-Tidings-Return: ${returnToken}`,
    '',
    '--b--',
    '',
  ].join('\r\n');
}

export function complaintAbout(
  { returnToken }: { readonly returnToken: string },
  {
    feedbackType = 'abuse',
    recipient,
  }: { readonly feedbackType?: string; readonly recipient?: string } = {},
): string {
  return [
    'From: <fbl@mailbox.example>',
    'To: <abuse@example.com>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${feedbackType}`,
    'Version: 1',
    `Original-Mail-From: <bounce+${returnToken}@bounces.example.com>`,
    ...(recipient === undefined ? [] : [`Original-Rcpt-To: <${recipient}>`]),
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: Hello',
    '',
    'Hello',
    '--b--',
    '',
  ].join('\r\n');
}
