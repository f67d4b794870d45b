import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Definition, Funnel, Segment } from '../../api/types.ts';
import { eventName, type Names } from '../../conditions/describe-condition.ts';
import { humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { toNamedOptions } from '../../ui/options.ts';
import type { BuilderFacts } from '../../conditions/builder-context.ts';

/** What pages about segments know of the application. */
export type SegmentFacts = BuilderFacts & {
  /** Conditions of segments by slug. */
  readonly conditions: ReadonlyMap<string, Condition>;
};

export function toSegmentFacts({
  definitions,
  funnels,
  segments,
  except,
}: {
  readonly definitions: readonly Pick<Definition, 'slug' | 'name' | 'kind' | 'mergedInto'>[];
  readonly funnels: readonly Pick<Funnel, 'slug' | 'name' | 'steps'>[];
  readonly segments: readonly Segment[];
  readonly except?: string | undefined;
}): SegmentFacts {
  // Conditions are about users; business events have none. A merged definition means its target.
  const events = definitions.filter(
    ({ kind, mergedInto }) => kind !== 'businessEvent' && mergedInto === undefined,
  );
  const names: Names = {
    events: new Map(definitions.map(({ slug, name }) => [slug, name])),
    funnels: new Map(funnels.map(({ slug, name }) => [slug, name])),
    segments: new Map(segments.map(({ slug, name }) => [slug, name])),
  };
  return {
    names,
    funnels: toNamedOptions(funnels).map((option, index) => ({
      ...option,
      steps: (funnels[index]?.steps ?? []).map(({ event }) => isolate(eventName(event, names))),
    })),
    events: toNamedOptions(events, ({ kind }) => humanize(kind).toLowerCase()),
    segments: toNamedOptions(segments.filter(({ slug }) => slug !== except)),
    conditions: new Map(segments.map(({ slug, condition }) => [slug, condition])),
  };
}
