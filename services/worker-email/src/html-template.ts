import { isWebAddress, readHtmlLinks } from '@tidings/contracts';

/** A place where a mail may have something of its recipient's own, with what stands there as it came. */
export type HtmlGap = { readonly original: string } & (
  | { readonly link: string }
  | { readonly place: 'unsubscribe' | 'pixel' }
);
export type HtmlPiece = string | HtmlGap;

/** HTML as all recipients share it, with gaps for what each gets of its own. */
export type HtmlTemplate = {
  readonly pieces: readonly HtmlPiece[];
  /** How many different pages its links lead to. */
  readonly linkCount: number;
};

/** A longer one stays as it is: with its signature around it, it would be too long for some clients. */
const LINK_CHARS_MAX = 1_500;

type Gap = { readonly start: number; readonly end: number; readonly piece: HtmlGap };

/**
 * Finds the links of a mail as a browser finds them: none in comments, scripts or text that only looks like one. What
 * does not lead into the Web stays as it is: parts of the page, mailto and tel, placeholders of any kind.
 */
export function htmlTemplateOf(html: string): HtmlTemplate {
  const { links, bodyEnd } = readHtmlLinks(html);
  const gaps: Gap[] = links.flatMap(({ start, end, value, isUnsubscribe }): Gap[] => {
    const original = html.slice(start, end);
    if (isUnsubscribe) return [{ start, end, piece: { original, place: 'unsubscribe' } }];
    const link = URL.parse(value)?.href;
    // Braces and the like are placeholders of somebody else, who would not find them again inside a token.
    if (
      link === undefined ||
      !isWebAddress(value) ||
      link.length > LINK_CHARS_MAX ||
      /[{}|]|%%/.test(value)
    )
      return [];
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
