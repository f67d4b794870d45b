import { itemAt } from '@tidings/platform';
import type { TemplatedKind } from '@tidings/contracts/channels/templated-fields';
import type { FieldRules } from './field-rules.ts';
import { checkPlaces } from './html/check-places.ts';
import { createHtmlRenderer, joinHtml } from './html/render-html.ts';
import { encodeLink, encodeLinkPart, LinkStart } from './html/links.ts';
import {
  isTemplateText,
  parseText,
  type ParsedSize,
  type ParsedText,
} from './engine/parse-text.ts';
import type { ParseOptions } from './engine/parse-options.ts';
import type { Parts } from './engine/parts.ts';
import type { Scope } from './engine/render-context.ts';
import { RenderFault } from './engine/render-fault.ts';
import { joinParts, renderText } from './engine/render-text.ts';
import type { TemplateVariable } from './engine/variables.ts';

/** A text of a message, ready to be rendered. */
export type CompiledText<Result = string> = {
  readonly variables: readonly TemplateVariable[];
  readonly size: ParsedSize;
  /** @throws RenderFault */
  readonly render: (scope: Scope) => Result;
};

/** Kinds that are one text. */
export type TextKind = Exclude<TemplatedKind, 'values' | 'mail'>;

/**
 * Compiles a text. Null if it holds no output and no tag.
 * @throws TextFault
 */
export function compileText(
  source: string,
  kind: TextKind,
  { checkRules, ...options }: ParseOptions & { readonly checkRules: FieldRules },
): CompiledText | null {
  if (!isTemplateText(source)) return null;
  const parsed = parseText(source, options);
  const write = createWriter(parsed, kind);
  return {
    variables: parsed.variables,
    size: parsed.size,
    render: (scope) => {
      const text = write(scope);
      checkRules(text);
      return text;
    },
  };
}

function createWriter(parsed: ParsedText, kind: TextKind): (scope: Scope) => string {
  switch (kind) {
    case 'html': {
      checkPlaces(parsed);
      const render = createHtmlRenderer(parsed, () => true);
      return (scope) => joinHtml(render(scope));
    }
    case 'webLink':
    case 'appLink':
      return (scope) => joinLink(parsed, renderText(parsed, scope));
    case 'line':
      return (scope) => toLine(joinParts(parsed, renderText(parsed, scope)));
    case 'text':
      return (scope) => joinParts(parsed, renderText(parsed, scope));
  }
}

/** A value that decides the scheme is a whole link, which the rules of the field check. */
function joinLink({ texts, outputs }: ParsedText, { order, values }: Parts): string {
  let link = '';
  const start = new LinkStart();
  const add = (text: string): void => {
    link += text;
    start.add(text);
  };
  for (const number of order) {
    const value = values[-1 - number];
    const { place } = start;
    if (value === undefined) add(itemAt(texts, number));
    else if (place === 'host')
      throw new RenderFault('unsafe_place', `${outputs[value.output]?.name} continues a host`);
    else if (place === 'whole') add(encodeLink(value.text));
    else if (outputs[value.output]?.isUrlEncoded === true) add(value.text);
    // A scheme that may run code is refused by the rules of the field.
    else add(encodeLinkPart(value.text, place === 'forbidden' ? 'part' : place));
  }
  return link;
}

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** Without line breaks and other control characters: a header is one line. */
const toLine = (text: string): string => text.replaceAll(CONTROLS, ' ').trim();
