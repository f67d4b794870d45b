/** What a link or a return address is signed for: worker-email signs it, client-api opens it. One does not open as another. */
export const LINK_PURPOSES = {
  open: 'link-open',
  click: 'link-click',
  unsubscribe: 'link-unsubscribe',
  bounce: 'mail-return',
} as const;

/** Where the links of a mail lead. */
export const LINK_PATHS = { open: '/t/o', click: '/t/c', unsubscribe: '/u' } as const;

/** Stands in a body for the recipient's own address at which marketing is unsubscribed. */
export const UNSUBSCRIBE_PLACEHOLDER = '{{unsubscribeUrl}}';

/** The subject of a mail whose message has no title, where the application has no default subject. */
export const MAIL_FALLBACK_SUBJECT = 'A message for you';

/** The header of a mail with the signed id of its attempt: reports about the mail bring it back. */
export const RETURN_TOKEN_HEADER = 'X-Tidings-Return';
/** A return address is this and the signed id of its attempt, as `bounce+…@example.com`. */
export const RETURN_LOCAL_PART = 'bounce+';

/** Whether a browser that follows it goes to a page of the Web. */
export function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}
