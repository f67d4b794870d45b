import { itemAt } from '@tidings/platform';
import type { ParsedText } from '../engine/parse-text.ts';
import type { Parts, RenderedValue } from '../engine/parts.ts';
import { RenderFault } from '../engine/render-fault.ts';
import { escapeHtml, escapeInComment } from '@tidings/mail-body/escape-html';
import { findPlaces, type HtmlPlace } from './find-places.ts';
import { encodeLink, encodeLinkPart, isAllowedLink } from './links.ts';
import { markOf } from './marks.ts';

/** A body that many renderings share: their texts are the same, in the same order. */
export type Skeleton = {
  /** With a mark for each value. */
  readonly body: string;
  readonly isHtml: boolean;
  readonly places: readonly HtmlPlace[];
  /** Values in what Outlook reads of comments. */
  readonly inComments: ReadonlySet<number>;
  /** Links that begin with a value. */
  readonly links: readonly (readonly (string | number)[])[];
};

/** Values as texts, safe in their places of a skeleton. */
export type FilledValues = {
  readonly html: readonly string[];
  /** For a version in plain text. */
  readonly text: readonly string[];
};

/**
 * The skeleton of a rendering.
 * @throws RenderFault `unsafe_place`
 */
export function buildSkeleton(
  { texts, outputs }: ParsedText,
  { order, values }: Parts,
  isHtml: (body: string) => boolean,
): Skeleton {
  let body = '';
  for (const number of order) body += number >= 0 ? itemAt(texts, number) : markOf(-1 - number);
  if (!isHtml(body))
    return {
      body,
      isHtml: false,
      places: values.map(() => 'text'),
      inComments: new Set(),
      links: [],
    };
  const { places, inComments, links } = findPlaces(body);
  return {
    body,
    isHtml: true,
    places: values.map(({ output }, index) => {
      const place = places.get(index);
      if (place === undefined) {
        const name = outputs[output]?.name ?? 'a tag';
        throw new RenderFault('unsafe_place', `${name} stands where no value may stand`);
      }
      return place;
    }),
    inComments,
    links,
  };
}

/**
 * Makes values safe for their places.
 * @throws RenderFault `forbidden_link`
 */
export function fillValues(
  { places, inComments, links, isHtml }: Skeleton,
  values: readonly RenderedValue[],
  { outputs }: Pick<ParsedText, 'outputs'>,
): FilledValues {
  const text = values.map((value, index) => encodeFor(places[index], value, outputs));
  for (const link of links) {
    const whole = link
      .map((piece) => (typeof piece === 'string' ? piece : itemAt(text, piece)))
      .join('');
    if (!isAllowedLink(whole)) {
      const first = link.find((piece) => typeof piece === 'number') ?? 0;
      const name = outputs[values[first]?.output ?? -1]?.name ?? 'a tag';
      throw new RenderFault('forbidden_link', `${name} is no link that may be opened`);
    }
  }
  const html = isHtml ? text.map(escapeHtml) : text;
  return {
    html:
      inComments.size === 0
        ? html
        : html.map((escaped, index) =>
            inComments.has(index) ? escapeInComment(escaped) : escaped,
          ),
    text,
  };
}

function encodeFor(
  place: HtmlPlace | undefined,
  { text, output }: RenderedValue,
  outputs: ParsedText['outputs'],
): string {
  if (place === undefined || place === 'text') return text;
  if (place === 'whole link') return encodeLink(text);
  return outputs[output]?.isUrlEncoded === true ? text : encodeLinkPart(text, place);
}
