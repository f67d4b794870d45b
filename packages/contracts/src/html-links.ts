import { Tokenizer } from 'htmlparser2';
import { UNSUBSCRIBE_PLACEHOLDER } from './links.ts';

/** The `href` of a link in a mail: the position of the attribute, and its decoded value. */
export type HtmlLink = {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** The worker replaces it with the recipient's unsubscribe URL. */
  readonly isUnsubscribe: boolean;
};

const LINKING_TAGS = new Set(['a', 'area']);

/**
 * Finds every link of a mail as a browser would: none in comments, scripts or text. Also finds the
 * end of the body. The worker's replacements and the warnings both use it.
 */
export function readHtmlLinks(html: string): {
  readonly links: readonly HtmlLink[];
  readonly bodyEnd: number;
} {
  const links: HtmlLink[] = [];
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
        // Browsers use the first of two.
        if (name !== 'href' || hasHref || !LINKING_TAGS.has(tag)) return;
        hasHref = true;
        links.push({ start, end, value, isUnsubscribe: value.trim() === UNSUBSCRIBE_PLACEHOLDER });
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
  return { links, bodyEnd };
}
