/** Of HTML (WHATWG), with what mails still use of earlier versions. */
const TAGS: ReadonlySet<string> = new Set(
  `!doctype a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound
  big blink blockquote body br button canvas caption center cite code col colgroup data datalist dd
  del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame
  frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li
  link main map mark marquee math menu meta meter nav nobr noframes noscript object ol optgroup
  option output p param picture pre progress q rp rt ruby s samp script search section select small
  source span strike strong style sub summary sup svg table tbody td template textarea tfoot th
  thead time title tr track tt u ul var video wbr`.split(/\s+/),
);
/** A complete tag, or the name of one with the following white space. */
const TAG_START = /<(!doctype|[a-z][a-z0-9]*)(\/?>|\s)/gi;
/** In text such as `a <b and c` the next `>` is far away, if there is one. */
const TAG_CHARS_MAX = 1_000;

/** The message of a mail. */
export type MailMessage = { readonly body?: unknown; readonly format?: unknown };

/** Whether a mail is sent as HTML: as its format says, or else if its body has a tag of HTML. */
export function isHtmlMessage({ body, format }: MailMessage): boolean {
  if (format === 'html' || format === 'text') return format === 'html';
  return typeof body === 'string' && hasTag(body);
}

/** Names in angle brackets, as in `Dear <name>` and `List<Item>`, are no tags. */
function hasTag(body: string): boolean {
  let close = -1;
  for (const { 0: start, 1: name = '', 2: end, index } of body.matchAll(TAG_START)) {
    if (!TAGS.has(name.toLowerCase())) continue;
    if (end?.endsWith('>') === true) return true;
    const from = index + start.length;
    // Searching again from every start would be quadratic.
    if (close < from) close = body.indexOf('>', from);
    if (close < 0) return false;
    if (close - from <= TAG_CHARS_MAX) return true;
  }
  return false;
}
