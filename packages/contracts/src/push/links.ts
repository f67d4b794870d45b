/**
 * Signature purposes of links and return addresses. worker-email signs, client-api verifies. A
 * signature is valid for its purpose only.
 */
export const LINK_PURPOSES = {
  open: 'link-open',
  click: 'link-click',
  unsubscribe: 'link-unsubscribe',
  bounce: 'mail-return',
} as const;

/** Paths of the links in a mail. */
export const LINK_PATHS = { open: '/t/o', click: '/t/c', unsubscribe: '/u' } as const;

/** Placeholder in a body for the recipient's unsubscribe URL. */
export const UNSUBSCRIBE_PLACEHOLDER = '{{unsubscribeUrl}}';

/** Subject of a mail without a title, if the application has no default subject. */
export const MAIL_FALLBACK_SUBJECT = 'A message for you';

/** Mail header with the signed id of the attempt; reports about the mail return it. */
export const RETURN_TOKEN_HEADER = 'X-Tidings-Return';
/** Prefix of a return address, followed by the signed id of the attempt: `bounce+…@example.com`. */
export const RETURN_LOCAL_PART = 'bounce+';

/** Whether the URL is http or https. */
export function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}
