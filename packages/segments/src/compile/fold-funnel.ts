import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { AttributePath } from '@tidings/contracts/segments/leaves/parts';
import { foldGivenSteps } from '@tidings/folds/compile/fold-given';
import { foldSteps, type FoldedSteps } from '@tidings/folds/compile/fold-steps';
import { createSettings, type Settings } from '@tidings/folds/compile/settings';
import type { CompiledStep } from '@tidings/folds/compile/step-events';
import type { Fold } from '@tidings/folds/fold';
import type { Memory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '../condition-context.ts';
import { toMs } from '../durations.ts';
import { jsonPath } from './json-path.ts';
import { compileWhere, slugsOf } from './named-event.ts';
import { createParameters, type Parameters } from './parameters.ts';
import type { StatementParts } from './statement-parts.ts';

/** A funnel of those whose first step lies in `[from, to)`, at one moment. In milliseconds. */
export type FunnelOf = {
  readonly context: ConditionContext;
  readonly funnel: FunnelDefinition;
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** Whose values in first events are the groups of persons. */
  readonly stepAttribute?: AttributePath | null;
};

/** Persons who entered a funnel, and how far each came; `parts` of statements that follow. */
export type FoldedFunnel = FoldedSteps & {
  readonly parts: StatementParts;
  readonly settings: Settings;
};

/** Folds a funnel of all persons. In one transaction that sees one moment. @throws TooManyPersons */
export async function foldFunnel(
  sql: Sql,
  {
    context,
    funnel,
    from,
    to,
    now,
    stepAttribute = null,
    settings = createSettings(),
  }: FunnelOf & { readonly settings?: Settings },
  memory: Memory,
): Promise<FoldedFunnel> {
  const { applicationId } = context;
  const parts = partsOf({ context, now }, settings);
  const steps = compileSteps(parts, funnel);
  const windowMs = toMs(funnel.window);
  const group =
    stepAttribute === null
      ? null
      : `nullif(${jsonPath(parts, 'e.attributes', stepAttribute).json}, 'null'::jsonb)`;
  const of = { applicationId, steps, settings, windowMs, from, to, now, group };
  return { ...(await foldSteps(sql, of, memory)), parts, settings };
}

/** Users by one of their columns. */
export type GivenUsers =
  | { readonly userIds: readonly string[] }
  | { readonly customUserIds: readonly string[] };

/** Folds a funnel of given users. Persons have the numbers of their ids. */
export async function foldFunnelOf(
  sql: Sql,
  { context, funnel, from, to, now }: FunnelOf,
  users: GivenUsers,
): Promise<{ readonly ids: readonly string[]; readonly fold: Fold }> {
  const parameters = createParameters();
  const parts = partsOf({ context, now }, parameters);
  const { add } = parameters;
  const isAsked =
    'userIds' in users
      ? `u.id = any(${add(users.userIds, 'uuid[]')})`
      : `u.custom_user_id = any(${add(users.customUserIds, 'text[]')})`;
  return foldGivenSteps(sql, {
    steps: compileSteps(parts, funnel),
    parameters,
    isAsked: `u.application_id = ${parts.application} and u.registered_at is not null and ${isAsked}`,
    windowMs: toMs(funnel.window),
    from,
    to,
    now,
  });
}

const partsOf = (
  { context, now }: Pick<FunnelOf, 'context' | 'now'>,
  parameters: Parameters,
): StatementParts => ({
  shape: 'all',
  context,
  parameters,
  now,
  application: parameters.add(context.applicationId, 'uuid'),
  joins: [],
});

const compileSteps = (parts: StatementParts, { steps }: FunnelDefinition): CompiledStep[] =>
  steps.map((step) => {
    const slugs = slugsOf(parts, step);
    // A statement names each of its parameters: none is added of a step without events.
    return { slugs, where: slugs.length === 0 ? [] : compileWhere(parts, step.where) };
  });
