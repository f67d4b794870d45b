import type { Condition } from '@tidings/contracts';
import { Fragment, type ReactNode } from 'react';
import { Select } from '../../../ui/field.tsx';
import { toOptions } from '../../../ui/options.ts';
import { LEAF_LABELS, newCondition, type Added } from './new-condition.ts';
import type { NodeProps } from './node-props.ts';

type GroupKey = 'all' | 'any';
type Group = Extract<Condition, { all: unknown } | { any: unknown }>;

const GROUP_OPTIONS = [
  { value: 'all', label: 'All of these' },
  { value: 'any', label: 'At least one of these' },
];
const ADD_OPTIONS = toOptions(
  Object.keys(LEAF_LABELS) as Added[],
  'Add a condition',
  (kind) => LEAF_LABELS[kind],
);

const keyOf = (group: Group): GroupKey => ('all' in group ? 'all' : 'any');
const childrenOf = (group: Group): readonly Condition[] => ('all' in group ? group.all : group.any);
const toGroup = (key: GroupKey, children: readonly Condition[]): Condition =>
  key === 'all' ? { all: children } : { any: children };

/** Conditions that are joined by "and" or "or". */
export function GroupFields({
  node,
  pointer,
  number,
  onChange,
  renderPart,
}: Omit<NodeProps, 'node' | 'onRemove'> & {
  readonly node: Group;
  readonly renderPart: (part: NodeProps) => ReactNode;
}) {
  const key = keyOf(node);
  const children = childrenOf(node);
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
      <Select
        label="Add"
        value=""
        options={ADD_OPTIONS}
        onChange={(kind) => {
          if (kind !== '') onChange(toGroup(key, [...children, newCondition(kind as Added)]));
        }}
      />
    </>
  );
}

export const isGroup = (node: Condition): node is Group => 'all' in node || 'any' in node;
