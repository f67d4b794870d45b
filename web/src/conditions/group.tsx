import type { Condition, ConditionNode } from '@tidings/contracts/segments/conditions';
import { Fragment, type ReactNode } from 'react';
import { Select } from '../ui/select.tsx';
import { AddCondition } from './add-condition.tsx';
import { unnamedLabel } from './new-condition.ts';
import type { NodeProps } from './node-props.ts';

type Group = Extract<ConditionNode, { readonly type: 'group' }>;

/** What a group asks of its parts. */
const GROUPS = [
  { value: 'all', label: 'all', key: 'all', isNegated: false },
  { value: 'any', label: 'any', key: 'any', isNegated: false },
  { value: 'none', label: 'none', key: 'any', isNegated: true },
  { value: 'notAll', label: 'not all', key: 'all', isNegated: true },
] as const;

const toGroup = (
  { key, isNegated }: { readonly key: Group['key']; readonly isNegated: boolean },
  children: readonly Condition[],
): Condition => {
  const group: Condition = key === 'all' ? { all: children } : { any: children };
  return isNegated ? { not: group } : group;
};

/** A single part that asks nothing yet gives way to the first that is added. */
const isUntouched = ([first, ...others]: readonly Condition[]): boolean =>
  first !== undefined && others.length === 0 && unnamedLabel(first) !== undefined;

/** Conditions that are joined by "and" or "or". */
export function GroupFields({
  group: { key, children },
  isNegated,
  pointer,
  number,
  onChange,
  renderPart,
  children: end,
}: Pick<NodeProps, 'pointer' | 'number' | 'onChange'> & {
  readonly group: Group;
  readonly isNegated: boolean;
  readonly renderPart: (part: NodeProps) => ReactNode;
  readonly children: ReactNode;
}) {
  const change = (next: readonly Condition[]): void => onChange(toGroup({ key, isNegated }, next));
  const chosen = GROUPS.find((each) => each.key === key && each.isNegated === isNegated);
  return (
    <>
      <div className="condition-line">
        {number === '' && <span className="word">People who match</span>}
        <Select
          label="Users satisfy"
          value={chosen?.value ?? 'all'}
          options={GROUPS}
          pointer={`${pointer}/${key}`}
          onChange={(next) =>
            onChange(toGroup(GROUPS.find(({ value }) => value === next) ?? GROUPS[0], children))
          }
        />
        <span className="word">of these</span>
      </div>
      {end}
      <div className="condition-parts" data-joined={key}>
        {children.map((child, index) => (
          // Parts have no identity of their own; all their fields are controlled.
          // oxlint-disable-next-line react/no-array-index-key
          <Fragment key={index}>
            {index > 0 && (
              <span className="condition-joint" aria-hidden="true">
                {key === 'all' ? 'and' : 'or'}
              </span>
            )}
            {renderPart({
              node: child,
              pointer: `${pointer}/${key}/${index}`,
              number: number === '' ? String(index + 1) : `${number}.${index + 1}`,
              onChange: (next) => change(children.with(index, next)),
              onDuplicate: () => change(children.toSpliced(index, 0, child)),
              ...(children.length > 1 && {
                onRemove: () => change(children.toSpliced(index, 1)),
              }),
            })}
          </Fragment>
        ))}
      </div>
      <AddCondition
        onAdd={(added) => change(isUntouched(children) ? [added] : [...children, added])}
      />
    </>
  );
}
