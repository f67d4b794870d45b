import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import type { FunnelOf } from '@tidings/segments/compile/fold-funnel';
import { compileWhere, isOneOf, slugsOf } from '@tidings/segments/compile/named-event';
import type { StatementParts } from '@tidings/segments/compile/statement-parts';

/** Parts of a statement about a few persons. */
export const partsOf = (
  { context, now }: Pick<FunnelOf, 'context' | 'now'>,
  parameters: StatementParts['parameters'],
): StatementParts => ({
  shape: 'given',
  context,
  parameters,
  now,
  application: parameters.add(context.applicationId, 'uuid'),
  joins: [],
});

/** A step, as SQL about an event `e`. */
export type CompiledStep = {
  readonly isNamed: string;
  /** Its `where`: each comparison; never null. */
  readonly comparisons: readonly string[];
};

export const compileSteps = (parts: StatementParts, steps: readonly FunnelStep[]): CompiledStep[] =>
  steps.map((step) => ({
    isNamed: isOneOf(parts, 'e.slug', slugsOf(parts, step)),
    comparisons: compileWhere(parts, step.where),
  }));

/** Which definitions the steps name. */
export const slugsOfSteps = (parts: StatementParts, steps: readonly FunnelStep[]): string[] => [
  ...new Set(steps.flatMap((step) => slugsOf(parts, step))),
];

/**
 * SQL: rows of some persons `u(id, no)` and their events `e`, of all ids of each. An index has the
 * events of an id and a definition in their order: each such pair is looked up by itself. Events
 * without the application, because before the first statistics Postgres would choose the index that begins
 * with it, and read all events of the definition for each person.
 * @param events a select from `events e`, of which `isOf` is a part
 */
export const compilePersonEvents = (
  { parameters, application }: StatementParts,
  { ids, slugs }: { readonly ids: readonly string[]; readonly slugs: readonly string[] },
  events: (isOf: string) => string,
): string =>
  `unnest(${parameters.add(ids, 'uuid[]')}) with ordinality as u(id, no)
     cross join lateral (
       select p.id from users p where p.id = u.id and p.application_id = ${application}
       union all
       select p.id from users p where p.merged_into = u.id and p.application_id = ${application}
     ) o
     cross join unnest(${parameters.add(slugs, 'text[]')}) as s(slug)
     cross join lateral (${events('e.user_id = o.id and e.slug = s.slug')}) e`;
