import type { CampaignFailureReason } from '@tidings/contracts/push/campaigns';
import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Sql } from '@tidings/postgres/database';
import type { Question } from './members.ts';
import {
  hasTooManyLeaves,
  inlineSegments,
  namedFunnels,
  listSegments,
  TOO_MANY_LEAVES,
} from './segment-nesting.ts';
import { readConditionContext, readSegment } from './segments.ts';

/** Members of one condition who are not members of another. */
export function audienceCondition(members: Condition, excluded: Condition | null): Condition {
  return excluded === null ? members : { all: [members, { not: excluded }] };
}

/** An audience with its conditions, and the question about its users; or why it has none. */
export type FoundAudience =
  | { readonly audience: StoredAudience; readonly asked: Omit<Question, 'now'> }
  | { readonly failure: { readonly reason: CampaignFailureReason; readonly detail: string } };

/**
 * The conditions of an audience as they are now: of its segment, and of the one that it excludes.
 * The conditions of segments within them stand in their places, so that later changes of these do
 * not matter.
 */
export async function findAudience(
  sql: Sql,
  applicationId: string,
  stored: StoredAudience,
): Promise<FoundAudience> {
  const context = await readConditionContext(sql, applicationId);
  const find = async (slug: string | null, own: Condition | null) => {
    if (slug === null) return own === null ? null : { version: null, condition: own };
    return readSegment(sql, { applicationId, slug });
  };
  const members = await find(stored.segment, stored.condition);
  if (members === null) {
    if (stored.segment === null) throw new Error('an audience has a segment or a condition');
    return missing(stored.segment);
  }
  const excluded = stored.exclude && (await find(stored.exclude.segment, null));
  if (stored.exclude !== null && excluded === null) return missing(stored.exclude.segment);
  const unknown = [members, ...(excluded === null ? [] : [excluded])]
    .flatMap(({ condition }) => listSegments(condition))
    .find(({ slug }) => !context.segments.has(slug));
  if (unknown !== undefined) return missing(unknown.slug);
  const inlined = <T extends { readonly version: number | null; readonly condition: Condition }>({
    version,
    condition,
  }: T) => ({ version, condition: inlineSegments(condition, context) });
  const audience = {
    ...stored,
    ...inlined(members),
    exclude:
      stored.exclude === null || excluded === null
        ? null
        : { segment: stored.exclude.segment, ...inlined(excluded) },
  };
  const unknownFunnel = [audience.condition, audience.exclude?.condition]
    .flatMap((condition) => (condition === undefined ? [] : namedFunnels(condition)))
    .at(0);
  if (unknownFunnel !== undefined)
    return {
      failure: {
        reason: 'funnel_not_found',
        detail: `A funnel of the campaign does not exist: ${unknownFunnel}.`,
      },
    };
  // Its segments may have grown since it was accepted.
  if (hasTooManyLeaves(audience.condition))
    return {
      failure: {
        reason: 'condition_too_large',
        detail: `The condition has ${TOO_MANY_LEAVES}.`,
      },
    };
  return {
    audience,
    asked: {
      context,
      condition: audienceCondition(audience.condition, audience.exclude?.condition ?? null),
    },
  };
}

const missing = (slug: string): FoundAudience => ({
  failure: {
    reason: 'segment_not_found',
    detail: `A segment of the campaign does not exist: ${slug}.`,
  },
});
