import type { Condition } from '@tidings/contracts/segments/conditions';
import type { AttributeComparison } from '@tidings/contracts/segments/leaves/parts';
import type { Suggestions } from '../api/types.ts';
import { SuggestField } from '../ui/suggest-field.tsx';
import { suggestionsOf, withAttribute } from './attribute-condition.ts';
import { ComparisonFields } from './comparison-fields.tsx';
import { attributeOptions, keyOf, valueOptions } from './use-suggestions.ts';
import { pathText } from './path-text.ts';

/** An attribute and its comparison. Names, types and values are suggested. */
export function AttributeFields({
  label,
  node,
  pointer,
  suggestions,
  onChange,
}: {
  readonly label: string;
  readonly node: AttributeComparison;
  readonly pointer: string;
  readonly suggestions: Suggestions | undefined;
  readonly onChange: (node: AttributeComparison) => void;
}) {
  const [suggested, ...otherTypes] = suggestionsOf(suggestions, node.attribute);
  const isOfOneType = otherTypes.length === 0 && suggested?.type !== 'array';
  return (
    <>
      <SuggestField
        label={label}
        pointer={`${pointer}/attribute`}
        value={pathText(node.attribute)}
        placeholder="attribute"
        options={attributeOptions(suggestions)}
        onChange={(text) => onChange({ ...node, attribute: text })}
        onChoose={({ value }) => {
          const chosen = suggestions?.attributes.find((each) => keyOf(each) === value);
          if (chosen !== undefined) onChange(withAttribute(node, chosen.attribute, chosen));
        }}
      />
      <ComparisonFields
        node={node}
        pointer={pointer}
        values={isOfOneType ? (suggested?.type ?? 'any') : 'any'}
        suggested={suggested?.type === 'string' ? valueOptions(suggested) : []}
        onChange={(next: Condition) => onChange(next as AttributeComparison)}
      />
    </>
  );
}
