import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';
import { isHtmlMessage, type MailMessage } from '@tidings/mail-body/is-html';
import { toText } from '../../lib/text.ts';

const LINK = `<p><a href="${UNSUBSCRIBE_PLACEHOLDER}">Unsubscribe</a></p>`;

/** The body of an e-mail with an unsubscribe link at its end. */
export function withUnsubscribeLink(message: MailMessage): string {
  const body = toText(message.body);
  if (!isHtmlMessage(message))
    return `${body.trimEnd()}\n\nUnsubscribe: ${UNSUBSCRIBE_PLACEHOLDER}\n`;
  const end = body.toLowerCase().lastIndexOf('</body');
  return end < 0
    ? `${body.trimEnd()}\n${LINK}\n`
    : `${body.slice(0, end)}${LINK}\n${body.slice(end)}`;
}
