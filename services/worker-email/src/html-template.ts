import { isWebAddress, UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts';
import { Tokenizer } from 'htmlparser2';

/** A place where a mail may have something of its recipient's own, with what stands there as it came. */
export type HtmlGap = { readonly original: string } & ({ readonly link: string } | { readonly place: 'unsubscribe' | 'pixel' });
export type HtmlPiece = string | HtmlGap;

/** HTML as all recipients share it, with gaps for what each gets of its own. */
export type HtmlTemplate = {
  readonly pieces: readonly HtmlPiece[];
  /** How many different pages its links lead to. */
  readonly linkCount: number;
};

/** A longer one stays as it is: with its signature around it, it would be too long for some clients. */
const LINK_CHARS_MAX = 1_500;
const LINKING_TAGS = new Set(['a', 'area']);

type Gap = { readonly start: number; readonly end: number; readonly piece: HtmlGap };

/**
 * Finds the links of a mail as a browser finds them: none in comments, scripts or text that only looks like one. What
 * does not lead into the Web stays as it is: parts of the page, mailto and tel, placeholders of any kind.
 */
export function htmlTemplateOf(html: string): HtmlTemplate {
  const { hrefs, bodyEnd } = readHrefs(html);
  const gaps: Gap[] = hrefs.flatMap(({ start, end, value }): Gap[] => {
    const original = html.slice(start, end);
    if (value.trim() === UNSUBSCRIBE_PLACEHOLDER) return [{ start, end, piece: { original, place: 'unsubscribe' } }];
    const link = URL.parse(value)?.href;
    // Braces and the like are placeholders of somebody else, who would not find them again inside a token.
    if (link === undefined || !isWebAddress(value) || link.length > LINK_CHARS_MAX || /[{}|]|%%/.test(value)) return [];
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
  return { pieces, linkCount: new Set(gaps.flatMap(({ piece }) => ('link' in piece ? [piece.link] : []))).size };
}

type Href = { readonly start: number; readonly end: number; readonly value: string };

/** Every `href` of a link with its place in the text, and where the body ends. */
function readHrefs(html: string): { readonly hrefs: readonly Href[]; readonly bodyEnd: number } {
  const hrefs: Href[] = [];
  let bodyEnd = html.length;
  let tag = '';
  let hasHref = false;
  let name = '';
  let start = 0;
  let value = '';
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(from, to) {
        tag = html.slice(from, to).toLowerCase();
        hasHref = false;
      },
      onattribname(from, to) {
        name = html.slice(from, to).toLowerCase();
        start = from;
        value = '';
      },
      onattribdata(from, to) {
        value += html.slice(from, to);
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint);
      },
      onattribend(_quote, end) {
        // Of two, browsers take the first.
        if (name !== 'href' || hasHref || !LINKING_TAGS.has(tag)) return;
        hasHref = true;
        hrefs.push({ start, end, value });
      },
      onclosetag(from, to) {
        if (html.slice(from, to).toLowerCase() === 'body') bodyEnd = from - '</'.length;
      },
      onopentagend: nothing,
      onselfclosingtag: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      ontext: nothing,
      ontextentity: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { hrefs, bodyEnd };
}
