import { Tokenizer } from 'htmlparser2';
import { LinkStart } from './links.ts';
import { splitAtMarks } from './marks.ts';

/** Where a value stands in HTML, which decides how it is escaped. */
export type HtmlPlace = 'text' | 'whole link' | 'part of a link';

export type HtmlPlaces = {
  /** By the index of the value; absent where no value may stand. */
  readonly places: ReadonlyMap<number, HtmlPlace>;
  /** Links that begin with a value, as texts and indexes of values. */
  readonly links: readonly (readonly (string | number)[])[];
};

const LINK_ATTRIBUTES = new Set([
  'href',
  'xlink:href',
  'src',
  'action',
  'formaction',
  'background',
  'poster',
  'cite',
  'longdesc',
]);
/** Their content is no text, or they load what they name. */
const CLOSED_TAGS = new Set([
  'script',
  'style',
  'meta',
  'base',
  'link',
  'object',
  'embed',
  'param',
  'animate',
  'animatemotion',
  'animatetransform',
  'set',
]);
/** Elements whose content is not parsed as HTML, or runs. */
const RAW_TAGS = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);
const CLOSED_ATTRIBUTE = /^(?:on|style$|srcset$|imagesrcset$|srcdoc$|ping$|data$|http-equiv$)/;
/** A value after it would name a tag. */
const TAG_START = /<[/!?]?$/;
const UNQUOTED = 1;

/**
 * Finds the places of marked values as a browser would. A value without a place must not be filled
 * in: it stands in a tag, a comment, a script, an attribute without quotes, or after a scheme that
 * may run code.
 */
export function findPlaces(html: string): HtmlPlaces {
  const places = new Map<number, HtmlPlace>();
  const links: (readonly (string | number)[])[] = [];
  let tag = '';
  let rawTag = '';
  let attribute = '';
  let value = '';

  const readText = (from: number, to: number): void => {
    if (rawTag !== '') return;
    let at = from;
    for (const piece of splitAtMarks(html.slice(from, to))) {
      if (typeof piece === 'string') at += piece.length;
      else {
        if (!TAG_START.test(html.slice(Math.max(0, at - 2), at))) places.set(piece.value, 'text');
        at = html.indexOf('\uFDD1', at) + 1;
      }
    }
  };
  const readAttribute = (): void => {
    if (CLOSED_TAGS.has(tag) || CLOSED_ATTRIBUTE.test(attribute)) return;
    const pieces = splitAtMarks(value).map((piece) =>
      typeof piece === 'string' ? piece : piece.value,
    );
    if (!LINK_ATTRIBUTES.has(attribute)) {
      for (const piece of pieces) if (typeof piece === 'number') places.set(piece, 'text');
      return;
    }
    const start = new LinkStart();
    let isWhole = false;
    for (const piece of pieces) {
      if (typeof piece === 'string') start.add(piece);
      else {
        const { place } = start;
        if (place === 'forbidden' || place === 'host') return;
        places.set(piece, place === 'whole' ? 'whole link' : 'part of a link');
        isWhole ||= place === 'whole';
      }
    }
    if (isWhole) links.push(pieces);
  };

  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(from, to) {
        tag = html.slice(from, to).toLowerCase();
      },
      onopentagend() {
        if (rawTag === '' && RAW_TAGS.has(tag)) rawTag = tag;
      },
      onclosetag(from, to) {
        if (html.slice(from, to).toLowerCase() === rawTag) rawTag = '';
      },
      onattribname(from, to) {
        attribute = html.slice(from, to).toLowerCase();
        value = '';
      },
      onattribdata(from, to) {
        value += html.slice(from, to);
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint);
      },
      onattribend(quote) {
        if (rawTag === '' && (quote as number) > UNQUOTED) readAttribute();
      },
      ontext: readText,
      onselfclosingtag: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      ontextentity: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { places, links };
}
