import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { LEAF_DESCRIPTORS, LEAF_KINDS } from '@tidings/contracts/segments/leaves/descriptors';
import { readAt } from './place.ts';

/** What a condition begins with. */
export const START: Condition = { all: [LEAF_DESCRIPTORS.attribute.initial] };

/** What a new condition is called until it names its attribute, event, segment or campaign; else undefined. */
export function unnamedLabel(condition: Condition): string | undefined {
  const node = nodeOf(condition);
  if (node.type === 'group' || node.type === 'not') return undefined;
  const { names, label } = LEAF_DESCRIPTORS[node.key];
  return names !== null && readAt(node.leaf, names) === '' ? label : undefined;
}

/** Keys whose text must not be empty. The operand of `is` may be. */
const NEEDED = new Set([
  ...LEAF_KINDS.flatMap((kind) => LEAF_DESCRIPTORS[kind].names?.at(-1) ?? []),
  'contains',
  'startsWith',
  'campaignId',
  'name',
  'currency',
]);

/** Whether the reader has filled in everything: otherwise there is nothing to ask yet. */
export function isComplete(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isNaN(value);
  if (Array.isArray(value)) return value.length > 0 && value.every(isComplete);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, item]) => !(NEEDED.has(key) && item === '') && isComplete(item),
  );
}
