import type { Condition } from '@tidings/contracts/segments/conditions';

/** A condition without others inside, and how its fields change it. */
export type LeafProps<Node> = {
  readonly node: Node;
  readonly pointer: string;
  readonly onChange: (node: Condition) => void;
};

/** JSON has no undefined: a part that was removed leaves no key. */
export const withoutAbsent = <Node extends object>(node: {
  readonly [Key in keyof Node]: Node[Key] | undefined;
}): Node =>
  Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined)) as Node;
