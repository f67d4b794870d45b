/** Schemes that a link with a value of a user may have. None of them runs code. */
const SCHEME = /^(?:https?:\/\/[^\s/?#]|mailto:|tel:|sms:)/i;
const WEB_START = /^https?:$/i;
const MAIL_START = /^mailto:$/i;
const PHONE_START = /^(?:tel|sms):$/i;
/** Browsers ignore these in URLs (WHATWG URL, 4.4). */
const IGNORED_BEFORE = /^[\p{Cc} ]+/u;
const IGNORED = /[\t\n\r]+/g;
const SLASHES = /^[/\\]+/;
const HOST_END = /[/\\?#]/;
const ENDS_WITH_NAME = /[\p{L}\p{N}]$/u;
/** Everything else is encoded when a value is a whole link. */
const NO_URL_CHARACTERS = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu;

/** Whether a link that begins with a value may be opened. */
export const isAllowedLink = (link: string): boolean => SCHEME.test(link);

/** A part of a link, which is encoded. Of an address its `@` stays, of a phone number its `+`. */
export type LinkPart = 'part' | 'mail address' | 'phone number';

/**
 * What a value may do in a link. `whole`: it decides the scheme, so the link is checked; `forbidden`:
 * the scheme may run code; `host`: it continues the name of a host, so `.other.example` would lead
 * elsewhere.
 */
export type LinkPlace = LinkPart | 'whole' | 'forbidden' | 'host';

function placeAfterScheme(scheme: string): LinkPlace {
  if (MAIL_START.test(scheme)) return 'mail address';
  if (PHONE_START.test(scheme)) return 'phone number';
  return WEB_START.test(scheme) ? 'part' : 'forbidden';
}

/**
 * The place behind the text of a link that was added. What was added before is not read again: a
 * link may have thousands of values.
 */
export class LinkStart {
  place: LinkPlace = 'whole';
  private start = '';
  private isBeforePath = false;
  /** Null: it has no character yet. */
  private hasHostDot: boolean | null = null;

  add(text: string): void {
    if (this.place === 'whole') this.addStart(text);
    else if (this.place === 'mail address' || this.place === 'phone number') this.addAddress(text);
    else if (this.isBeforePath) this.addHost(text.replaceAll(IGNORED, ''));
  }

  private addStart(text: string): void {
    const first = this.start === '' ? text.replace(IGNORED_BEFORE, '') : text;
    const added = first.replaceAll(IGNORED, '');
    const end = added.search(/[:/?#]/);
    this.start += end === -1 ? added : added.slice(0, end + 1);
    if (end === -1) return;
    if (added[end] !== ':') this.place = 'part';
    else this.place = placeAfterScheme(this.start);
    this.isBeforePath = WEB_START.test(this.start);
    if (this.isBeforePath) this.addHost(added.slice(end + 1));
    else if (this.place !== 'part') this.addAddress(added.slice(end + 1));
  }

  /** Behind it are fields, as a subject. */
  private addAddress(text: string): void {
    if (this.place !== 'forbidden' && text.includes('?')) this.place = 'part';
  }

  private addHost(text: string): void {
    const added = this.hasHostDot === null ? text.replace(SLASHES, '') : text;
    if (added === '') return;
    this.isBeforePath = !HOST_END.test(added);
    this.hasHostDot = this.hasHostDot === true || added.includes('.');
    const isName = this.hasHostDot && ENDS_WITH_NAME.test(added);
    this.place = this.isBeforePath && isName ? 'host' : 'part';
  }
}

/** A value that is a whole link, or begins one. */
export const encodeLink = (value: string): string =>
  value.trim().replaceAll(NO_URL_CHARACTERS, (character) => encodeURIComponent(character));

/** A value inside of a link. */
export function encodeLinkPart(value: string, place: LinkPart = 'part'): string {
  if (place === 'phone number') return encodePhoneNumber(value);
  return place === 'mail address' ? encodeMailAddress(value) : encodeURIComponent(value);
}

/** Mail apps read `%40`, but not all of them (RFC 6068 writes the `@` of an address as it is). */
function encodeMailAddress(value: string): string {
  const at = value.lastIndexOf('@');
  const domain = encodeURIComponent(value.slice(at + 1));
  return at < 0 ? domain : `${encodeURIComponent(value.slice(0, at))}@${domain}`;
}

/** Phones dial no `%2B`, and a number has no blanks (RFC 3966). */
const encodePhoneNumber = (value: string): string =>
  encodeURIComponent(value.replaceAll(/\s+/g, '')).replace(/^%2B/, '+');
