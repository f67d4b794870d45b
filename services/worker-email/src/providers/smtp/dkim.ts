import type { SmtpSettings } from './settings.ts';

/** What a signature covers, where the mail has it. RFC 8058 wants both of its headers in, and nodemailer's own list lacks the second. */
const SIGNED_HEADERS = [
  'from',
  'to',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
];

type Dkim = {
  readonly domainName: string;
  readonly keySelector: string;
  readonly privateKey: string;
  readonly headerFieldNames: string;
};

/** How mails of these settings are signed (RFC 6376); null when they are not. */
export function dkimOf(
  { dkimDomain, dkimSelector }: SmtpSettings,
  secrets: Readonly<Record<string, string>>,
): Dkim | null {
  const privateKey = secrets['dkimPrivateKey'];
  if (dkimDomain === undefined || dkimSelector === undefined || privateKey === undefined)
    return null;
  return {
    domainName: dkimDomain,
    keySelector: dkimSelector,
    privateKey,
    headerFieldNames: SIGNED_HEADERS.join(':'),
  };
}
