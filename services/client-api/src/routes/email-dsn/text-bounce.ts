import { readReplyCodes } from '@tidings/providers/email/reply-codes';
import type { Email } from 'postal-mime';

/** A bounce that is no `multipart/report`: what the mail server's own words say. */
export type TextBounce = {
  readonly action: 'failed' | 'delayed';
  /** The server's words, up to the mail that came back. */
  readonly diagnostic: string;
  /** Addresses in these words. Unverified. */
  readonly recipients: readonly string[];
};

/** Senders of mail systems. Persons and their out-of-office messages have other names. */
const SYSTEM_ADDRESS =
  /^(?:mailer-?daemon|mail-?daemon|mdaemon|postmaster|mailerdaemon_.*|maildelivery|mail-delivery|bounce|bounces|no-?reply-?mail.*|symantecemailproxy|microsoftexchange[\da-f]+)$/i;
const SYSTEM_NAME =
  /mail delivery|mail(?:er)?[ -]?daemon|delivery subsystem|mail administrator|system administrator|internet mail delivery|microsoft exchange|postmaster/i;

/**
 * How a mail system begins to say that it gives up, in its own form: Exim, Postfix, sendmail, qmail,
 * Exchange 2003 and later, hMailServer, Domino, Courier, MDaemon, IMail, James, OpenSMTPD, Kerio,
 * SmarterMail, Google, Yahoo and IONOS.
 */
const FAILURES =
  /could not be delivered|couldn['’]t be delivered|can ?not be delivered|was not delivered|not be delivered to|(?:unable|wasn['’]t able|not able|failed) to deliver|could not deliver|undeliverable|undelivered mail|delivery (?:has )?failed|delivery failure|delivery status notification(?: \(failure|: error)|an error (?:has )?occurred while (?:attempting|trying) to deliver|trouble delivering|did not reach|could not be reached|permanent (?:fatal )?error|failed permanently|returned mail|mail delivery failed|failure notice|returning message to sender|message bounced|bounced (?:message|mail)/i;
/** The server still tries: nothing is decided. */
const DELAYS =
  /warning: (?:message|could not send)|this is a warning message only|not yet been delivered|(?:is|been) delayed|delivery (?:is |status notification \()?delay|will (?:be re-?tried|retry|continue to (?:attempt|try)|keep trying|try again)|still (?:being|trying)|do not need to resend|no action is required on your part/i;

/** Where the mail that came back begins. What it says is not the server's. */
const RETURNED_MAIL =
  /^[ \t>]*(?:--.*(?:copy of|original|returned|below this line|header|message follows|unsent|undelivered).*|original message headers:.*|(?:the )?(?:headers|text) of the (?:original )?message.*|received: .*|return-path: .*|message-id: .*|content-type: .*)$/im;

const ADDRESS = /[^\s<>()"'[\]:;,]{1,64}@[^\s<>()"'[\]:;,]{1,254}/g;
const RECIPIENTS_MAX = 20;
const CHARS_READ = 20_000;

/**
 * Reads a bounce in a form of a mail system's own. Null for all other mails: of persons,
 * out-of-office messages, other notices.
 */
export function readTextBounce(email: Email): TextBounce | null {
  const failed = headerOf(email, 'x-failed-recipients');
  const subject = (email.subject ?? '').slice(0, CHARS_READ);
  const text = (email.text ?? textOf(email.html ?? '')).slice(0, CHARS_READ).replaceAll('\r', '');
  const words = beforeReturnedMail(text);
  if (failed === '' && !isOfMailSystem(email)) return null;
  if (DELAYS.test(subject) || DELAYS.test(words))
    return { action: 'delayed', ...saidIn(words, '') };
  const isFailure =
    failed !== '' ||
    FAILURES.test(subject) ||
    FAILURES.test(words) ||
    (readReplyCodes(words).reply ?? 0) >= 500;
  return isFailure ? { action: 'failed', ...saidIn(words, failed) } : null;
}

function isOfMailSystem({ from }: Email): boolean {
  const [local = ''] = (from?.address ?? '').split('@');
  return SYSTEM_ADDRESS.test(local) || SYSTEM_NAME.test(from?.name ?? '');
}

function saidIn(words: string, failed: string): Omit<TextBounce, 'action'> {
  const found = `${failed.slice(0, CHARS_READ)}\n${words}`.match(ADDRESS) ?? [];
  return { diagnostic: words, recipients: [...new Set(found)].slice(0, RECIPIENTS_MAX) };
}

/** The server's own words in a mail's text. */
export function beforeReturnedMail(text: string): string {
  const begin = RETURNED_MAIL.exec(text);
  return (begin === null ? text : text.slice(0, begin.index)).trim();
}

const headerOf = ({ headers }: Email, name: string): string =>
  headers.find(({ key }) => key === name)?.value ?? '';

const textOf = (html: string): string =>
  html
    .slice(0, CHARS_READ)
    .replaceAll(/<(?:br|\/p|\/div|\/tr|\/li)\b[^<>]*>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, ' ');
