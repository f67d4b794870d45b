import type { Channel } from './channels.ts';
import { WARNINGS_MAX } from './error-codes.ts';
import { readHtmlLinks } from './html-links.ts';
import { UNSUBSCRIBE_PLACEHOLDER } from './links.ts';
import type { PushMessage } from './push.ts';

/** A tag that ends at once, or its name and the white space behind it. */
const TAG_START = /<(?:!doctype|[a-z][a-z0-9-]*)(?:\/?>|\s)/gi;
/** Text such as `a <b and c` has its next `>` far away, if any. */
const TAG_CHARS_MAX = 1_000;
const PLACEHOLDER = /\{\{[^{}]{1,200}\}\}/;
/** A message may have millions of values, and a name of any length, which no warning repeats. */
const VALUES_MAX = 10_000;
const NAME_CHARS_MAX = 256;

/** Whether a mail of this body goes out as HTML. */
export function isHtmlBody(body: string): boolean {
  let close = -1;
  for (const { 0: start, index } of body.matchAll(TAG_START)) {
    if (start.endsWith('>')) return true;
    const from = index + start.length;
    // Searching from every start again would make the time quadratic.
    if (close < from) close = body.indexOf('>', from);
    if (close < 0) return false;
    if (close - from <= TAG_CHARS_MAX) return true;
  }
  return false;
}

/** The body of a mail without the placeholders that the worker fills in. */
function withoutKnown(body: string): string {
  return isHtmlBody(body)
    ? withoutUnsubscribeLinks(body)
    : body.replaceAll(UNSUBSCRIBE_PLACEHOLDER, '');
}

/** In HTML the placeholder is filled in as the `href` of a link, and nowhere else. */
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

/** Whether the readers of a mail see where they can unsubscribe. */
export function hasUnsubscribeLink(body: string): boolean {
  return withoutKnown(body) !== body;
}

/** Pointers of the texts of a message with a `{{…}}` that nothing fills in: it is sent as those letters. */
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
          .map(([key, child]) => ({ pointer: childOf(pointer, key), value: child as unknown }))
          .toReversed(),
      );
    }
  }
  return found;
}

/** A JSON pointer with one more step (RFC 6901). */
function childOf(pointer: string, key: string): string {
  return key.length > NAME_CHARS_MAX
    ? pointer
    : `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
