/** Schemes that a link with a value of a user may have. None of them runs code. */
const SCHEME = /^(?:https?:\/\/[^\s/?#]|mailto:|tel:|sms:)/i;
const ANY_SCHEME = /^[^/?#]*:/;
const ALLOWED_START = /^(?:https?|mailto|tel|sms):/i;
/** Browsers ignore these in URLs (WHATWG URL, 4.4). */
const IGNORED = /^[\p{Cc} ]+|[\t\n\r]+/gu;
/** Everything else is encoded when a value is a whole link. */
const NO_URL_CHARACTERS = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu;

/** Whether a link that begins with a value may be opened. */
export const isAllowedLink = (link: string): boolean => SCHEME.test(link);

/**
 * What a value may do after this text of a link. `whole`: it decides the scheme, so the link is
 * checked; `part`: it is encoded; `forbidden`: the scheme may run code.
 */
export function placeAfter(before: string): 'whole' | 'part' | 'forbidden' {
  const start = before.replaceAll(IGNORED, '');
  if (ANY_SCHEME.test(start)) return ALLOWED_START.test(start) ? 'part' : 'forbidden';
  return /[/?#]/.test(start) ? 'part' : 'whole';
}

/** A value that is a whole link, or begins one. */
export const encodeLink = (value: string): string =>
  value.trim().replaceAll(NO_URL_CHARACTERS, (character) => encodeURIComponent(character));

/** A value inside of a link. */
export const encodeLinkPart = (value: string): string => encodeURIComponent(value);
