import type { Condition } from '@tidings/contracts/segments/conditions';

export type NodeProps = {
  readonly node: Condition;
  /** JSON pointer of the node in the request. */
  readonly pointer: string;
  /** The place that readers hear: `2.1`; empty at the top. */
  readonly number: string;
  readonly onChange: (node: Condition) => void;
  readonly onDuplicate?: () => void;
  readonly onRemove?: () => void;
};
