/** A complete tag, or a tag name with the following white space. */
const TAG_START = /<(?:!doctype|[a-z][a-z0-9-]*)(?:\/?>|\s)/gi;
/** In text such as `a <b and c` the next `>` is far away, if there is one. */
const TAG_CHARS_MAX = 1_000;

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
