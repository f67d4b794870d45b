import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;
const UNSEEN = /<!--.*?-->|<(style|script|head|title)\b.*?<\/\1\s*>/gis;
const LINK = /<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>(.*?)<\/a\s*>/gis;
const WEB_ADDRESS = /^(?:https?:|\uE000)/i;
const LINE_END = /<br\b[^>]*>|<\/(?:p|div|h[1-6]|li|tr|table|blockquote)\s*>/gi;
const TAG = /<\/?[a-z!][^>]*>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
  '&#39;': "'",
  '&apos;': "'",
  '&amp;': '&',
};
const ENTITY = new RegExp(Object.keys(ENTITIES).join('|'), 'g');
/** Stands for a piece of Liquid, whose signs are none of HTML. */
const MARK = /\uE000(\d+)\uE001/g;

const isUnsubscribe = (text: string): boolean =>
  text.replaceAll(/\s/g, '').includes(UNSUBSCRIBE_PLACEHOLDER);

/** Changes HTML around its Liquid, and leaves out links to unsubscribe: only an e-mail has them. */
function aroundLiquid(html: string, change: (marked: string) => string): string {
  const pieces: string[] = [];
  const restore = (text: string): string =>
    text.replaceAll(MARK, (_mark, index: string) => pieces[Number(index)] ?? '');
  const marked = html
    .replaceAll(LIQUID, (piece) => `\uE000${pieces.push(piece) - 1}\uE001`)
    .replaceAll(LINK, (link, one: string | undefined, other: string | undefined) =>
      isUnsubscribe(restore(one ?? other ?? '')) ? '' : link,
    )
    .replaceAll(MARK, (mark) => (isUnsubscribe(restore(mark)) ? '' : mark));
  return restore(change(marked));
}

/** The HTML of an e-mail for where no one unsubscribes. */
export const withoutUnsubscribe = (html: string): string => aroundLiquid(html, (marked) => marked);

/** The words of an HTML message: a line for each paragraph, and the addresses of links behind theirs. */
export const toPlainText = (html: string): string =>
  aroundLiquid(html, (marked) =>
    marked
      .replaceAll(UNSEEN, '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(LINK, linkText)
      .replaceAll(LINE_END, '\n')
      .replaceAll(TAG, '')
      .replaceAll(ENTITY, (entity) => ENTITIES[entity] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n'),
  );

function linkText(...[, one, other, label = '']: readonly (string | undefined)[]): string {
  const address = one ?? other ?? '';
  const words = label.replaceAll(TAG, '').trim();
  return WEB_ADDRESS.test(address) && words !== address ? `${words} ${address}`.trim() : words;
}

/** A text as HTML that shows the same words and lines. */
export const toHtmlText = (text: string): string =>
  aroundLiquid(text.trim(), (marked) =>
    marked.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>\n'),
  );
