import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts';
import { isHtmlBody } from '@tidings/mail-body/is-html';

const LINK = `<p><a href="${UNSUBSCRIBE_PLACEHOLDER}">Unsubscribe</a></p>`;

/** Appends an unsubscribe link to the body of an e-mail. */
export function withUnsubscribeLink(body: string): string {
  if (!isHtmlBody(body)) return `${body.trimEnd()}\n\nUnsubscribe: ${UNSUBSCRIBE_PLACEHOLDER}\n`;
  const end = body.toLowerCase().lastIndexOf('</body');
  return end < 0
    ? `${body.trimEnd()}\n${LINK}\n`
    : `${body.slice(0, end)}${LINK}\n${body.slice(end)}`;
}
