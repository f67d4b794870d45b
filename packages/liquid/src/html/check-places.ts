import { itemAt } from '@tidings/platform';
import type { ParsedText } from '../engine/parse-text.ts';
import { TextFault } from '../engine/text-fault.ts';
import { findPlaces } from './find-places.ts';
import { markOf } from './marks.ts';

/**
 * Finds outputs where no value may stand, as far as the source tells: all branches are read as if
 * they followed each other. Rendering checks again.
 * @throws TextFault
 */
export function checkPlaces({ texts, outputs, inOrder }: ParsedText): void {
  const html = inOrder
    .map((node) => (node.kind === 'text' ? itemAt(texts, node.number) : markOf(node.number)))
    .join('');
  const { places } = findPlaces(html);
  for (const { kind, number } of inOrder) {
    const output = kind === 'output' ? outputs[number] : undefined;
    if (output !== undefined && !places.has(number))
      throw new TextFault('unsafe_place', 'an output in text or in an attribute value in quotes', {
        getPosition: () => [output.line, output.column],
      });
  }
}
