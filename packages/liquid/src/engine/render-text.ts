import { itemAt } from '@tidings/platform';
import type { ParsedText } from './parse-text.ts';
import { Parts } from './parts.ts';
import { RenderContext, type Scope } from './render-context.ts';
import { renderNodes } from './render-nodes.ts';

/**
 * Renders a text for one user.
 * @throws RenderFault
 */
export function renderText({ nodes, hidden }: ParsedText, scope: Scope): Parts {
  const parts = new Parts();
  const seen =
    hidden.length === 0
      ? scope
      : { ...scope, ...Object.fromEntries(hidden.map((name) => [name, undefined])) };
  renderNodes(nodes, new RenderContext(seen), parts);
  return parts;
}

/** The texts and values of a rendering as one text. Only for places where nothing is escaped. */
export function joinParts({ texts }: ParsedText, { order, values }: Parts): string {
  let joined = '';
  for (const number of order)
    joined += number >= 0 ? itemAt(texts, number) : itemAt(values, -1 - number).text;
  return joined;
}
