import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { modelOf } from './leaves.ts';
import type { Person, Population } from './population.ts';

/**
 * Whether a condition is true of a person, evaluated one value at a time in memory. The statements
 * are compared with it, so it shares no code with them.
 */
export function evaluate(condition: Condition, person: Person, of: Population): boolean {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.key === 'all'
        ? node.children.every((child) => evaluate(child, person, of))
        : node.children.some((child) => evaluate(child, person, of));
    case 'not':
      return !evaluate(node.child, person, of);
    case 'segment': {
      const named = of.segments.get(node.leaf.segment);
      return named !== undefined && evaluate(named, person, of);
    }
    case 'fact':
      return modelOf(node.key).evaluate(node.leaf, person, of);
  }
}
