import { readStatus } from '@tidings/providers/email/reply-codes';
import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { beforeReturnedMail, readTextBounce } from './text-bounce.ts';

/** What a mail server or mailbox provider reports about an e-mail to one recipient. */
export type MailReport =
  | {
      readonly type: 'bounce';
      readonly action: 'failed' | 'delayed' | 'arrived';
      /** Of the report's field (RFC 3463); empty where there is none. */
      readonly status: string;
      /** What the mail server said. */
      readonly diagnostic: string;
    }
  | { readonly type: 'complaint'; readonly feedbackType: string };

export type ParsedReport = {
  /** Null for other e-mails, such as replies and out-of-office messages. */
  readonly report: MailReport | null;
  /** Candidates for the signed id of the send attempt. */
  readonly tokens: readonly string[];
  /** Recipient addresses in the report. Unverified. */
  readonly recipients: readonly string[];
};

const TOKEN = /\b[0-9a-z]{25}\.[0-9a-z]{1,6}\.[0-9a-z]{25}\b/gi;
const TOKENS_MAX = 10;
/**
 * Fields of delivery status reports, with a type prefix (RFC 3464, 2.3), and of abuse reports (RFC
 * 5965, 3.2).
 */
const RECIPIENT_FIELDS = ['original-recipient', 'final-recipient', 'original-rcpt-to'];
const REPORT_PARTS = new Set([
  'message/delivery-status',
  'message/global-delivery-status',
  'message/feedback-report',
]);
const MAILBOX = /[^\s<>;]{1,254}@[^\s<>;]{1,254}/;
const RECIPIENTS_MAX = 20;
const FIELD_CHARS_READ = 600;
const LINES_MAX = 10_000;
const LINE_FEED = 0x0a;
const LIMITS = {
  maxNestingDepth: 20,
  maxHeadersSize: 256 * 1024,
  attachmentEncoding: 'utf8',
} as const;

/**
 * Parses a delivery status notification (RFC 3464), an abuse report (RFC 5965), or a bounce in a
 * mail server's own form. @throws Error if it is not MIME
 */
export async function parseReport(raw: Buffer): Promise<ParsedReport> {
  const email = await PostalMime.parse(firstLines(raw), LIMITS);
  const texts = [
    ...email.headers.map(({ value }) => value),
    email.text ?? '',
    ...email.attachments.map(readText),
  ];
  const tokens = new Set(
    texts.flatMap((text) => text.match(TOKEN) ?? []).map((token) => token.toLowerCase()),
  );
  const report = statusIn(email) ?? complaintIn(email);
  const bounce = report === null ? readTextBounce(email) : null;
  return {
    report:
      bounce === null
        ? report
        : { type: 'bounce', action: bounce.action, status: '', diagnostic: bounce.diagnostic },
    tokens: [...tokens].slice(0, TOKENS_MAX),
    recipients: bounce?.recipients ?? recipientsIn(email),
  };
}

/**
 * What the report says, and the headers of the mail that is returned, stand at the beginning. Each line
 * costs the parser 15 µs, so a megabyte of short ones would hold up all others for seconds.
 */
function firstLines(raw: Buffer): Buffer {
  let end = -1;
  for (let line = 0; line < LINES_MAX; line += 1) {
    end = raw.indexOf(LINE_FEED, end + 1);
    if (end === -1) return raw;
  }
  return raw.subarray(0, end + 1);
}

/**
 * The worst status in the report. An e-mail has one recipient, but forwarding can turn it into
 * several.
 */
function statusIn(email: Email): MailReport | null {
  const part = email.attachments.find(
    ({ mimeType }) =>
      mimeType === 'message/delivery-status' || mimeType === 'message/global-delivery-status',
  );
  if (part === undefined) return null;
  const recipients = fieldGroups(readText(part)).filter((fields) => fields.has('action'));
  const fields =
    recipients.find((group) => readAction(group) === 'failed') ??
    recipients.find((group) => readAction(group) === 'delayed') ??
    recipients[0];
  if (fields === undefined) return null;
  return {
    type: 'bounce',
    action: readAction(fields),
    status: readStatus(fields.get('status') ?? ''),
    diagnostic: fields.get('diagnostic-code') ?? beforeReturnedMail(email.text ?? ''),
  };
}

function readAction(fields: ReadonlyMap<string, string>): 'failed' | 'delayed' | 'arrived' {
  const action = fields.get('action')?.toLowerCase();
  return action === 'failed' || action === 'delayed' ? action : 'arrived';
}

function complaintIn(email: Email): MailReport | null {
  const part = email.attachments.find(({ mimeType }) => mimeType === 'message/feedback-report');
  const feedbackType = part && fieldGroups(readText(part))[0]?.get('feedback-type')?.toLowerCase();
  return feedbackType === undefined ? null : { type: 'complaint', feedbackType };
}

function recipientsIn(email: Email): string[] {
  const groups = email.attachments
    .filter(({ mimeType }) => REPORT_PARTS.has(mimeType))
    .flatMap((part) => fieldGroups(readText(part)));
  const found = groups.flatMap((fields) =>
    RECIPIENT_FIELDS.flatMap(
      (name) => MAILBOX.exec((fields.get(name) ?? '').slice(0, FIELD_CHARS_READ))?.[0] ?? [],
    ),
  );
  return [...new Set(found)].slice(0, RECIPIENTS_MAX);
}

function readText({ content }: Attachment): string {
  return typeof content === 'string'
    ? content
    : Buffer.from(content instanceof ArrayBuffer ? new Uint8Array(content) : content).toString();
}

/** Groups of header-like fields, separated by empty lines. Names are lower case. */
function fieldGroups(text: string): ReadonlyMap<string, string>[] {
  return text.split(/\r?\n\s*\r?\n/).map((group) => {
    const lines = group.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
    return new Map(
      lines.flatMap((line): [string, string][] => {
        const colon = line.indexOf(':');
        return colon < 1
          ? []
          : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
      }),
    );
  });
}
