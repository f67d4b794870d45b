/** Kinds of reports on an accepted mail: not delivered, delayed, or a complaint of its reader. */
export type ReportKind = 'bounce' | 'delay' | 'complaint';

/** Mailboxes that trigger a report; the word may be anywhere in the local part. */
const KINDS = [
  ['bounce-later', 'bounce'],
  ['bounce-soft', 'delay'],
  ['complain', 'complaint'],
] as const satisfies readonly (readonly [string, ReportKind])[];

/** The report for mail to this address; null for most. */
export function readReportKind(address: string): ReportKind | null {
  const local = address.slice(0, address.lastIndexOf('@')).toLowerCase();
  return KINDS.find(([word]) => local.includes(word))?.[1] ?? null;
}

export type ReportedMail = {
  readonly kind: ReportKind;
  /** The envelope sender, which receives the report. */
  readonly returnPath: string;
  readonly to: string;
  /** The original mail. */
  readonly raw: string;
  readonly now: Date;
};

const STATUSES = {
  bounce: {
    action: 'failed',
    status: '5.1.1',
    reply: '550 5.1.1',
    words: 'Mailbox does not exist',
  },
  delay: { action: 'delayed', status: '4.2.2', reply: '452 4.2.2', words: 'The mailbox is full' },
} as const;

/** The report as a mail: RFC 3464 for a bounce or delay, RFC 5965 for a complaint. */
export function reportMail({ kind, returnPath, to, raw, now }: ReportedMail): string {
  const boundary = `report-${now.getTime().toString(36)}`;
  const [headers = ''] = raw.split(/\r?\n\r?\n/, 1);
  const parts =
    kind === 'complaint' ? complaintParts({ returnPath, now }) : statusParts({ kind, to, now });
  return lines(
    `From: Mail Delivery System <MAILER-DAEMON@sandbox.tidings>`,
    `To: ${returnPath}`,
    `Subject: ${kind === 'complaint' ? 'Abuse report' : `Delivery status: ${STATUSES[kind].action}`}`,
    `Date: ${now.toUTCString()}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${kind === 'complaint' ? 'feedback-report' : 'delivery-status'}; boundary="${boundary}"`,
    '',
    ...parts.flatMap(([type, ...content]) => [
      `--${boundary}`,
      `Content-Type: ${type}`,
      '',
      ...content,
      '',
    ]),
    `--${boundary}`,
    'Content-Type: text/rfc822-headers',
    '',
    headers,
    '',
    `--${boundary}--`,
    '',
  );
}

function statusParts({
  kind,
  to,
  now,
}: {
  readonly kind: 'bounce' | 'delay';
  readonly to: string;
  readonly now: Date;
}): string[][] {
  const { action, status, reply, words } = STATUSES[kind];
  return [
    ['text/plain; charset=utf-8', `${words}: ${to}`],
    [
      'message/delivery-status',
      'Reporting-MTA: dns; sandbox.tidings',
      `Arrival-Date: ${now.toUTCString()}`,
      '',
      `Final-Recipient: rfc822; ${to}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${reply} <${to}>: ${words}`,
    ],
  ];
}

function complaintParts({
  returnPath,
  now,
}: {
  readonly returnPath: string;
  readonly now: Date;
}): string[][] {
  return [
    ['text/plain; charset=utf-8', 'A recipient reported this mail as spam.'],
    [
      'message/feedback-report',
      'Feedback-Type: abuse',
      'User-Agent: Sandbox/1.0',
      'Version: 1',
      `Original-Mail-From: <${returnPath}>`,
      `Arrival-Date: ${now.toUTCString()}`,
    ],
  ];
}

function lines(...text: readonly string[]): string {
  return text.join('\r\n');
}
