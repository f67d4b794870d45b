import {
  liveSegmentsOf,
  type AutomationDefinition,
} from '@tidings/contracts/automations/definition';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from './condition-context.ts';
import type { Hears } from './leaves/leaf.ts';
import { leafOf } from './leaves/leaves.ts';
import { factsOf } from './segment-nesting.ts';

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

type NamedCondition = { readonly slug: string; readonly condition: Condition };

/** What is wrong with a new condition of a segment for whose members automations wait. */
export function liveFault(
  automations: readonly { readonly definition: AutomationDefinition }[],
  segments: readonly NamedCondition[],
  changed: NamedCondition,
): FieldError | null {
  const conditions = new Map(
    [...segments, changed].map(({ slug, condition }) => [slug, condition]),
  );
  const isMissed = automations
    .flatMap(({ definition }) => liveSegmentsOf(definition))
    .some(({ slug }) => !isLiveCondition({ segment: slug }, { segments: conditions }));
  return isMissed
    ? {
        pointer: '/condition',
        code: 'not_live',
        expected:
          'no reachability, time zone, or messages of any campaign: an automation waits for its members',
      }
    : null;
}
