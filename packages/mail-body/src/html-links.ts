import { readHtml } from './read-html.ts';

/** The `href` of a link in a mail: the position of the attribute, and its decoded value. */
export type HtmlLink = { readonly start: number; readonly end: number; readonly value: string };

const LINKING_TAGS = new Set(['a', 'area']);

/**
 * Finds every link of a mail as a browser would: none in comments, scripts or text. Also finds the
 * end of the body.
 */
export function readHtmlLinks(html: string): {
  readonly links: readonly HtmlLink[];
  readonly bodyEnd: number;
} {
  const links: HtmlLink[] = [];
  let bodyEnd = html.length;
  readHtml(html, {
    onAttribute({ tag, name, isFirst, start, end, value }) {
      if (name === 'href' && isFirst && LINKING_TAGS.has(tag)) links.push({ start, end, value });
    },
    onCloseTag(tag, nameStart) {
      if (tag === 'body') bodyEnd = nameStart - '</'.length;
    },
  });
  return { links, bodyEnd };
}
