import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Option } from '../../../ui/options.ts';

/** A condition without others inside, and how its fields change it. */
export type LeafProps<Node> = {
  readonly node: Node;
  readonly pointer: string;
  readonly onChange: (node: Condition) => void;
};

/** Options that include the value, also if it is not known any more. */
export function withCurrent(
  options: readonly Option[],
  value: string,
  placeholder: string,
): readonly Option[] {
  const isKnown = value === '' || options.some((option) => option.value === value);
  return [
    { value: '', label: placeholder },
    ...options,
    ...(isKnown ? [] : [{ value, label: value }]),
  ];
}

/** JSON has no undefined: a part that was removed leaves no key. */
export const withoutAbsent = <Node extends object>(node: {
  readonly [Key in keyof Node]: Node[Key] | undefined;
}): Node =>
  Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined)) as Node;
