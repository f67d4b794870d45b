import {
  LINK_ATTRIBUTES,
  outlookPart,
  readHtml,
  type HtmlAttribute,
} from '@tidings/mail-body/read-html';
import { unsubscribeStart } from '@tidings/mail-body/unsubscribe-places';
import { LinkStart, type LinkPart } from './links.ts';
import { splitAtMarks } from './marks.ts';

/** Where a value stands in HTML, which decides how it is escaped. */
export type HtmlPlace = 'text' | 'whole link' | LinkPart;

export type HtmlPlaces = {
  /** By the index of the value; absent where no value may stand. */
  readonly places: ReadonlyMap<number, HtmlPlace>;
  /** Values in what Outlook reads of comments. */
  readonly inComments: ReadonlySet<number>;
  /** Links that begin with a value, as texts and indexes of values. */
  readonly links: readonly (readonly (string | number)[])[];
};

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

/**
 * Finds the places of marked values as a browser would, and as Outlook in `<!--[if mso]>`. A value
 * without a place must not be filled in: it stands in a tag, another comment, a script, an attribute
 * without quotes, or after a scheme that may run code.
 */
export function findPlaces(html: string): HtmlPlaces {
  return findPlacesIn(html, false);
}

/** @param isOutlook the content of a comment: comments within it are ordinary ones, so that none nest */
function findPlacesIn(html: string, isOutlook: boolean): HtmlPlaces {
  const places = new Map<number, HtmlPlace>();
  const inComments = new Set<number>();
  const links: (readonly (string | number)[])[] = [];
  let rawTag = '';

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
  const readAttribute = ({ tag, name, value, isQuoted }: HtmlAttribute): void => {
    if (rawTag !== '' || !isQuoted) return;
    if (CLOSED_TAGS.has(tag) || CLOSED_ATTRIBUTE.test(name)) return;
    const pieces = splitAtMarks(value).map((piece) =>
      typeof piece === 'string' ? piece : piece.value,
    );
    if (!LINK_ATTRIBUTES.has(name)) {
      for (const piece of pieces) if (typeof piece === 'number') places.set(piece, 'text');
      return;
    }
    const start = new LinkStart();
    let isWhole = false;
    const [first] = pieces;
    if (typeof first === 'string' && unsubscribeStart(first) > 0) {
      // A value behind the URL would be a part of its token.
      if (unsubscribeStart(first) === first.length) return;
      start.add('/');
    }
    for (const piece of pieces) {
      if (typeof piece === 'string') start.add(piece);
      else {
        const { place } = start;
        if (place === 'forbidden' || place === 'host') return;
        places.set(piece, place === 'whole' ? 'whole link' : place);
        isWhole ||= place === 'whole';
      }
    }
    if (isWhole) links.push(pieces);
  };

  readHtml(html, {
    onOpenTag(tag) {
      if (rawTag === '' && RAW_TAGS.has(tag)) rawTag = tag;
    },
    onCloseTag(tag) {
      if (tag === rawTag) rawTag = '';
    },
    onAttribute: readAttribute,
    onText: readText,
    onComment(from, to) {
      const comment = html.slice(from, to);
      const part = rawTag === '' && !isOutlook ? outlookPart(comment) : null;
      if (part === null) return;
      const inner = findPlacesIn(comment.slice(part.from, part.to), true);
      for (const [index, place] of inner.places) {
        places.set(index, place);
        inComments.add(index);
      }
      links.push(...inner.links);
    },
  });
  return { places, inComments, links };
}
