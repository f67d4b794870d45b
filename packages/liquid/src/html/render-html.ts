import { LRUCache } from 'lru-cache';
import type { ParsedText } from '../engine/parse-text.ts';
import type { Scope } from '../engine/render-context.ts';
import { renderText } from '../engine/render-text.ts';
import { fillMarks } from './marks.ts';
import { buildSkeleton, fillValues, type FilledValues, type Skeleton } from './skeleton.ts';

const SKELETONS_MAX = 500;
const SKELETON_CHARS_MAX = 16 * 1024 * 1024;

/** Of all texts together, so that their number does not multiply the bound. */
const skeletons = new LRUCache<string, Skeleton>({
  max: SKELETONS_MAX,
  maxSize: SKELETON_CHARS_MAX,
  sizeCalculation: ({ body }, key) => body.length + key.length + 1,
});
let renderers = 0;

/** A rendering of HTML: the same skeleton object for renderings of the same structure. */
export type RenderedHtml = { readonly skeleton: Skeleton; readonly values: FilledValues };

/**
 * Renders a text as HTML. Places of values are looked for once for each structure.
 * @param isHtml whether a body is HTML; otherwise values stay as they are
 */
export function createHtmlRenderer(
  parsed: ParsedText,
  isHtml: (body: string) => boolean,
): (scope: Scope) => RenderedHtml {
  renderers += 1;
  const prefix = `${renderers}:`;
  return (scope) => {
    const parts = renderText(parsed, scope);
    const key = prefix + parts.structure;
    let skeleton = skeletons.get(key);
    if (skeleton === undefined) {
      skeleton = buildSkeleton(parsed, parts, isHtml);
      skeletons.set(key, skeleton);
    }
    return { skeleton, values: fillValues(skeleton, parts.values, parsed) };
  };
}

/** The HTML with its values. */
export const joinHtml = ({ skeleton, values }: RenderedHtml): string =>
  fillMarks(skeleton.body, values.html);
