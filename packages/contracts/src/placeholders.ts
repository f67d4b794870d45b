import type { Channel } from './channels.ts';
import { WARNINGS_MAX } from './error-codes.ts';
import { readHtmlLinks } from './html-links.ts';
import { UNSUBSCRIBE_PLACEHOLDER } from './links.ts';
import type { PushMessage } from './push.ts';

/** A complete tag, or a tag name with the following white space. */
const TAG_START = /<(?:!doctype|[a-z][a-z0-9-]*)(?:\/?>|\s)/gi;
/** In text such as `a <b and c` the next `>` is far away, if there is one. */
const TAG_CHARS_MAX = 1_000;
const PLACEHOLDER = /\{\{[^{}]{1,200}\}\}/;
/**
 * Bounds the work: a message may have millions of values and names of any length. Long names are
 * not repeated in warnings.
 */
const VALUES_MAX = 10_000;
const NAME_CHARS_MAX = 256;

/** Whether a mail with this body is sent as HTML. */
export function isHtmlBody(body: string): boolean {
  let close = -1;
  for (const { 0: start, index } of body.matchAll(TAG_START)) {
    if (start.endsWith('>')) return true;
    const from = index + start.length;
    // Searching again from every start would be quadratic.
    if (close < from) close = body.indexOf('>', from);
    if (close < 0) return false;
    if (close - from <= TAG_CHARS_MAX) return true;
  }
  return false;
}

/** The body of a mail without known placeholders. */
function withoutKnown(body: string): string {
  return isHtmlBody(body)
    ? withoutUnsubscribeLinks(body)
    : body.replaceAll(UNSUBSCRIBE_PLACEHOLDER, '');
}

/** In HTML the placeholder is replaced only as the `href` of a link. */
function withoutUnsubscribeLinks(html: string): string {
  let rest = '';
  let done = 0;
  for (const { start, end, isUnsubscribe } of readHtmlLinks(html).links) {
    if (!isUnsubscribe) continue;
    rest += html.slice(done, start);
    done = end;
  }
  return rest + html.slice(done);
}

/** Whether the mail shows an unsubscribe link. */
export function hasUnsubscribeLink(body: string): boolean {
  return withoutKnown(body) !== body;
}

/** Pointers to the texts of a message with an unknown `{{…}}`, which is sent literally. */
export function unknownPlaceholders(channel: Channel, message: PushMessage): readonly string[] {
  const found: string[] = [];
  const waiting: { readonly pointer: string; readonly value: unknown }[] = [
    { pointer: '/message', value: message },
  ];
  for (let looked = 0; looked < VALUES_MAX && found.length < WARNINGS_MAX; looked += 1) {
    const next = waiting.pop();
    if (next === undefined) break;
    const { pointer, value } = next;
    if (typeof value === 'string') {
      const text = channel === 'EMAIL' && pointer === '/message/body' ? withoutKnown(value) : value;
      if (PLACEHOLDER.test(text)) found.push(pointer);
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).slice(0, VALUES_MAX - waiting.length);
      waiting.push(
        ...entries
          .map(([key, child]) => ({
            pointer: toChildPointer(pointer, key),
            value: child as unknown,
          }))
          .toReversed(),
      );
    }
  }
  return found;
}

/** A JSON pointer with one more step (RFC 6901). */
function toChildPointer(pointer: string, key: string): string {
  return key.length > NAME_CHARS_MAX
    ? pointer
    : `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
