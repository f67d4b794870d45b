import type { Condition, ConditionNode } from '@tidings/contracts/segments/conditions';
import { Fragment, type ReactNode } from 'react';
import { Select } from '../../../ui/select.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { LEAF_LABELS, newCondition, type Added } from './new-condition.ts';
import type { NodeProps } from './node-props.ts';

type Group = Extract<ConditionNode, { readonly type: 'group' }>;
type GroupKey = Group['key'];

const GROUP_OPTIONS = [
  { value: 'all', label: 'All of these' },
  { value: 'any', label: 'At least one of these' },
];
const ADDED = (Object.keys(LEAF_LABELS) as Added[]).map((kind) => ({
  value: kind,
  label: LEAF_LABELS[kind],
}));

const toGroup = (key: GroupKey, children: readonly Condition[]): Condition =>
  key === 'all' ? { all: children } : { any: children };

/** Conditions that are joined by "and" or "or". */
export function GroupFields({
  group: { key, children },
  pointer,
  number,
  onChange,
  renderPart,
}: Omit<NodeProps, 'node' | 'onRemove'> & {
  readonly group: Group;
  readonly renderPart: (part: NodeProps) => ReactNode;
}) {
  const replace = (index: number, child: Condition): void =>
    onChange(toGroup(key, children.with(index, child)));
  return (
    <>
      <Select
        label="Users satisfy"
        value={key}
        options={GROUP_OPTIONS}
        pointer={`${pointer}/${key}`}
        onChange={(next) => onChange(toGroup(next as GroupKey, children))}
      />
      <div className="condition-parts">
        {children.map((child, index) => (
          // Parts have no identity of their own; all their fields are controlled.
          // oxlint-disable-next-line react/no-array-index-key
          <Fragment key={index}>
            {renderPart({
              node: child,
              pointer: `${pointer}/${key}/${index}`,
              number: number === '' ? String(index + 1) : `${number}.${index + 1}`,
              onChange: (next) => replace(index, next),
              ...(children.length > 1 && {
                onRemove: () => onChange(toGroup(key, children.toSpliced(index, 1))),
              }),
            })}
          </Fragment>
        ))}
      </div>
      <Menu
        label="Add a condition"
        items={ADDED}
        onChoose={(kind) => onChange(toGroup(key, [...children, newCondition(kind as Added)]))}
      />
    </>
  );
}
