import type { Condition } from '@tidings/contracts/segments/conditions';
import type { AttributeComparison, AttributePath } from '@tidings/contracts/segments/leaves/parts';
import type { Suggestions } from '../api/types.ts';
import { readComparison, valueType, type Compared } from './comparison.ts';

type Suggested = Suggestions['attributes'][number];

/** The condition that an attribute begins with: its most frequent value, or that it is there. */
export const ofAttribute = (suggested: Suggested | undefined): Condition =>
  suggested === undefined
    ? { attribute: '', is: '' }
    : ({ attribute: suggested.attribute, ...firstComparison(suggested) } as Condition);

function firstComparison({ type, values }: Suggested): object {
  if (type === 'array') return { exists: true };
  return { is: values[0]?.value ?? (type === 'number' ? 0 : type === 'boolean' ? true : '') };
}

/** The comparison with another attribute. It begins anew where the types differ. */
export function withAttribute<Node extends AttributeComparison>(
  node: Node,
  attribute: AttributePath,
  suggested: Suggested | undefined,
): Node {
  const compared = readComparison(node);
  if (suggested === undefined || compared === null || !beginsAnew(compared, suggested))
    return { ...node, attribute };
  const { is: _is, ...rest } = node;
  return { ...rest, attribute, ...firstComparison(suggested) } as Node;
}

/** What is compared for equality follows the attribute; other comparisons were chosen. */
function beginsAnew({ operator, operand }: Compared, { type }: Suggested): boolean {
  if (operator !== 'is') return false;
  const isText = valueType(operand) === 'text';
  return operand === '' || (type === 'string') !== isText || type !== typeof operand;
}

/** What is known of an attribute: its types, the most frequent first. */
export const suggestionsOf = (
  suggestions: Suggestions | undefined,
  path: AttributePath,
): readonly Suggested[] =>
  (suggestions?.attributes ?? []).filter(
    ({ attribute }) => JSON.stringify(attribute) === JSON.stringify(path),
  );
