import { isWebAddress } from '@tidings/contracts/push/links';
import { readHtmlLinks } from '@tidings/mail-body/html-links';
import { UNSUBSCRIBE_MARK } from '@tidings/mail-body/unsubscribe-mark';
import { hasMarks } from '@tidings/liquid/marks';

/** A gap for content of one recipient; `original` is the source text. Both may have marks of values. */
export type HtmlGap = { readonly original: string } & (
  | { readonly link: string }
  | { readonly place: 'pixel' }
);
export type HtmlPiece = string | HtmlGap;

/** A campaign's HTML, split into shared text and gaps per recipient. */
export type HtmlTemplate = {
  readonly pieces: readonly HtmlPiece[];
  /** Number of distinct link targets. */
  readonly linkCount: number;
};

/** Longer links are not rewritten: with a signature they would be too long for some clients. */
export const LINK_CHARS_MAX = 1_500;

type Gap = { readonly start: number; readonly end: number; readonly piece: HtmlGap };

/**
 * Finds links as a browser does: none in comments, scripts or text. Links outside the Web stay
 * unchanged: fragments, mailto, tel, placeholders, the recipient's unsubscribe URL.
 */
export function parseHtmlTemplate(html: string): HtmlTemplate {
  const { links, bodyEnd } = readHtmlLinks(html);
  const gaps: Gap[] = links.flatMap(({ start, end, value }): Gap[] => {
    const original = html.slice(start, end);
    // Braces mark placeholders of another system, which could not find them inside a token.
    if (/[{}|]|%%/.test(value) || value.includes(UNSUBSCRIBE_MARK)) return [];
    // What it leads to is known when a mail is filled in.
    if (hasMarks(value)) return [{ start, end, piece: { original, link: value } }];
    const link = URL.parse(value)?.href;
    if (link === undefined || !isWebAddress(value) || link.length > LINK_CHARS_MAX) return [];
    return [{ start, end, piece: { original, link } }];
  });
  gaps.push({ start: bodyEnd, end: bodyEnd, piece: { original: '', place: 'pixel' } });
  const pieces: HtmlPiece[] = [];
  let done = 0;
  for (const { start, end, piece } of gaps.toSorted((a, b) => a.start - b.start)) {
    pieces.push(html.slice(done, start), piece);
    done = end;
  }
  pieces.push(html.slice(done));
  return {
    pieces,
    linkCount: new Set(gaps.flatMap(({ piece }) => ('link' in piece ? [piece.link] : []))).size,
  };
}
