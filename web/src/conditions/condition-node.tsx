import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { LEAF_DESCRIPTORS } from '@tidings/contracts/segments/leaves/descriptors';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { Select } from '../ui/select.tsx';
import { describeCondition } from './describe-condition.ts';
import { useBuilderFacts } from './builder-context.ts';
import { GroupFields } from './group.tsx';
import { LeafFields } from './leaf-fields.tsx';
import { unnamedLabel } from './new-condition.ts';
import type { NodeProps } from './node-props.ts';
import { PartCount } from './part-count.tsx';

/** A condition as a sentence whose words can be chosen, and everything inside it. */
export function ConditionNode(props: NodeProps) {
  const { node, pointer, number, onChange } = props;
  const { names } = useBuilderFacts();
  const outer = nodeOf(node);
  const isNegated = outer.type === 'not';
  const inner = isNegated ? outer.child : node;
  const parsed = nodeOf(inner);
  const innerPointer = isNegated ? `${pointer}/not` : pointer;
  const change = (next: Condition): void => onChange(isNegated ? { not: next } : next);
  const name = (
    <legend className="hidden-visually">
      {number !== '' && `${number} `}
      {isNegated && 'Not: '}
      <span dir="auto">{unnamedLabel(inner) ?? describeCondition(inner, names)}</span>
    </legend>
  );
  if (parsed.type === 'group')
    return (
      <fieldset className="condition group">
        {name}
        <GroupFields
          group={parsed}
          isNegated={isNegated}
          pointer={innerPointer}
          number={number}
          onChange={onChange}
          renderPart={(part) => <ConditionNode {...part} />}
        >
          <PartEnd {...props} />
        </GroupFields>
      </fieldset>
    );
  if (parsed.type === 'not')
    return (
      <fieldset className="condition">
        {name}
        <div className="condition-line">
          <LeafFields node={inner} pointer={innerPointer} onChange={change} />
        </div>
        <PartEnd {...props} />
      </fieldset>
    );
  const [is, isNot] = LEAF_DESCRIPTORS[parsed.key].begins;
  return (
    <fieldset className="condition" data-negated={isNegated || undefined}>
      {name}
      <div className="condition-line">
        <Select
          label="Whether"
          value={isNegated ? 'not' : 'is'}
          options={[
            { value: 'is', label: is },
            { value: 'not', label: isNot },
          ]}
          onChange={(next) => onChange(next === 'not' ? { not: inner } : inner)}
        />
        <LeafFields node={inner} pointer={innerPointer} onChange={change} />
      </div>
      <PartEnd {...props} />
    </fieldset>
  );
}

/** The count of a condition, and what can be done with it. */
function PartEnd({ pointer, number, onDuplicate, onRemove }: NodeProps) {
  const items = [
    ...(onDuplicate === undefined ? [] : [{ value: 'duplicate', label: 'Duplicate' }]),
    ...(onRemove === undefined ? [] : [{ value: 'remove', label: 'Remove' }]),
  ];
  if (number === '') return null;
  return (
    <div className="condition-end">
      <PartCount pointer={pointer} />
      {items.length > 0 && (
        <Menu
          label={<Icon name="more" />}
          name={`Actions of condition ${number}`}
          className="plain small icon"
          items={items}
          onChoose={(action) => (action === 'remove' ? onRemove?.() : onDuplicate?.())}
        />
      )}
    </div>
  );
}
