import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { describeCondition } from '../describe-condition.ts';
import { useBuilderFacts } from './builder-context.ts';
import { GroupFields } from './group.tsx';
import { LeafFields } from './leaf-fields.tsx';
import { unnamedLabel } from './new-condition.ts';
import type { NodeProps } from './node-props.ts';

/** A condition with the fields to change it, and everything inside it. */
export function ConditionNode({ node, pointer, number, onChange, onRemove }: NodeProps) {
  const { names } = useBuilderFacts();
  const outer = nodeOf(node);
  const isNegated = outer.type === 'not';
  const inner = isNegated ? outer.child : node;
  const group = nodeOf(inner);
  const innerPointer = isNegated ? `${pointer}/not` : pointer;
  const change = (next: Condition): void => onChange(isNegated ? { not: next } : next);
  const shared = { pointer: innerPointer, onChange: change };
  return (
    <fieldset className="condition">
      <legend>
        {number !== '' && <span className="soft">{number} </span>}
        {isNegated && 'Not: '}
        <span dir="auto">{unnamedLabel(inner) ?? describeCondition(inner, names)}</span>
      </legend>
      {group.type === 'group' ? (
        <GroupFields
          {...shared}
          group={group}
          number={number}
          renderPart={(part) => <ConditionNode {...part} />}
        />
      ) : (
        <LeafFields {...shared} node={inner} />
      )}
      <div className="row">
        <Checkbox
          label="Not"
          isChecked={isNegated}
          onChange={(isOn) => onChange(isOn ? { not: inner } : inner)}
        />
        {onRemove !== undefined && (
          <Button isSmall kind="plain" onClick={onRemove} aria-label={`Remove condition ${number}`}>
            Remove
          </Button>
        )}
      </div>
    </fieldset>
  );
}
