import { nodeOf, type Condition, type ConditionNode } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from './condition-context.ts';
import type { Hears } from './leaves/leaf.ts';
import { leafOf } from './leaves/leaves.ts';

type Fact = Extract<ConditionNode, { type: 'fact' }>;

/** Facts of a condition, also those of the segments that it names. */
function factsOf(condition: Condition, segments: ConditionContext['segments']): Fact[] {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.children.flatMap((child) => factsOf(child, segments));
    case 'not':
      return factsOf(node.child, segments);
    case 'segment': {
      const named = segments.get(node.leaf.segment);
      return named === undefined ? [] : factsOf(named, segments);
    }
    case 'fact':
      return [node];
  }
}

/**
 * Whether a condition may be live: each change of its answer is recorded with the user, or comes at an
 * instant that is known before.
 */
export function isLiveCondition(
  condition: Condition,
  { segments }: Pick<ConditionContext, 'segments'>,
): boolean {
  return factsOf(condition, segments).every(({ key, leaf }) => leafOf(key).isLive(leaf));
}

/** What may change the answer of a live condition, apart from time. */
export function hearsOf(condition: Condition, context: ConditionContext): Required<Hears> {
  const slugs = new Set<string>();
  const campaigns = new Map<string, Set<string>>();
  let profile = false;
  for (const { key, leaf } of factsOf(condition, context.segments)) {
    const hears = leafOf(key).hears(leaf, context);
    for (const slug of hears.slugs ?? []) slugs.add(slug);
    for (const [id, milestones] of hears.campaigns ?? [])
      campaigns.set(id, new Set([...(campaigns.get(id) ?? []), ...milestones]));
    profile ||= hears.profile === true;
  }
  return {
    profile,
    slugs: [...slugs],
    campaigns: [...campaigns].map(([id, milestones]) => [id, [...milestones]] as const),
  };
}
