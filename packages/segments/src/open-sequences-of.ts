import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { leafOf } from './leaves/leaves.ts';

type PlacedSequence = { readonly pointer: string; readonly condition: Condition };

/**
 * The questions of a condition about later events whose time may be open, each with the condition
 * of the users of whom that is so. Not of opposites, where the event makes members, and not of
 * other segments, which say it themselves.
 */
export function openSequencesOf(
  condition: Condition,
  now: number,
  pointer = '',
): readonly PlacedSequence[] {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.children.flatMap((child, index) =>
        openSequencesOf(child, now, `${pointer}/${node.key}/${index}`),
      );
    case 'fact':
      return (leafOf(node.key).openSequences?.(node.leaf, now) ?? []).map((open) => ({
        pointer: `${pointer}/${open.key}`,
        condition: open.condition,
      }));
    case 'not':
    case 'segment':
      return [];
  }
}
