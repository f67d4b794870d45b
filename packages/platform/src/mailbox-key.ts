import { domainToASCII } from 'node:url';

/** Nothing but the printable characters of ASCII: letter case is all that can differ. */
const PLAIN = /^[!-~]*$/;
/** No address is that long, and an index refuses long values: Postgres cuts the lower case there, too. */
const KEY_CHARS_MAX = 320;
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/**
 * An address without blanks around it, with its domain in the form that mail servers know (UTS 46)
 * and its local part in NFC, full-width letters mapped. The letter case of the local part stays.
 */
export function asciiMailbox(address: string): string {
  const text = address.trim();
  if (PLAIN.test(text)) return text;
  const at = text.lastIndexOf('@') + 1;
  if (at === 0) return composed(text);
  return `${composed(text.slice(0, at))}${asciiDomain(text.slice(at))}`;
}

/**
 * The same text for every spelling of one mailbox: what profiles and suppressions are compared by.
 * Of a text that is no address, too.
 */
export function mailboxKey(address: string): string {
  return composed(asciiMailbox(address).toLowerCase()).slice(0, KEY_CHARS_MAX).toWellFormed();
}

/**
 * The key that is stored beside an address; null where the address in lower case, which Postgres
 * computes itself, is the key.
 */
export function storedMailboxKey(address: unknown): string | null {
  return typeof address !== 'string' || PLAIN.test(address) ? null : mailboxKey(address);
}

const composed = (text: string): string =>
  text
    .replaceAll(FULL_WIDTH, (letter) =>
      String.fromCharCode(letter.charCodeAt(0) - FULL_WIDTH_OFFSET),
    )
    .normalize('NFC');

/** A domain that has no ASCII form stays as it is. Digits alone are no IP address here. */
function asciiDomain(domain: string): string {
  const text = composed(domain);
  return PLAIN.test(text) ? text : domainToASCII(text) || text;
}
