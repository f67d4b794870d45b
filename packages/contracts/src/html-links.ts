import { Tokenizer } from 'htmlparser2';
import { UNSUBSCRIBE_PLACEHOLDER } from './links.ts';

/** The `href` of a link in a mail: the attribute's place in the text, and its value with entities decoded. */
export type HtmlLink = {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** The worker puts the recipient's own address in its place. */
  readonly isUnsubscribe: boolean;
};

const LINKING_TAGS = new Set(['a', 'area']);

/**
 * Every link of a mail, as a browser finds it: none in comments, scripts or text that only looks like one. Also where
 * the body ends. What the worker fills in and what a warning names both follow from it.
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
        // Of two, browsers take the first.
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
