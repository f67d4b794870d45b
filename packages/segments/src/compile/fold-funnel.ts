import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { AttributePath } from '@tidings/contracts/segments/leaves/parts';
import { foldSteps, type FoldedSteps } from '@tidings/folds/compile/fold-steps';
import { createSettings, type Settings } from '@tidings/folds/compile/settings';
import type { Memory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '../condition-context.ts';
import { toMs } from '../durations.ts';
import { jsonPath } from './json-path.ts';
import { compileWhere, slugsOf } from './named-event.ts';
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
  { context, funnel, from, to, now, stepAttribute = null }: FunnelOf,
  memory: Memory,
): Promise<FoldedFunnel> {
  const settings = createSettings();
  const { applicationId } = context;
  const parts: StatementParts = {
    shape: 'all',
    context,
    parameters: settings,
    now,
    application: settings.add(applicationId, 'uuid'),
    joins: [],
  };
  const steps = funnel.steps.map((step) => ({
    slugs: slugsOf(parts, step),
    where: compileWhere(parts, step.where),
  }));
  const windowMs = toMs(funnel.window);
  const group =
    stepAttribute === null
      ? null
      : `nullif(${jsonPath(parts, 'e.attributes', stepAttribute).json}, 'null'::jsonb)`;
  const of = { applicationId, steps, settings, windowMs, from, to, now, group };
  return { ...(await foldSteps(sql, of, memory)), parts, settings };
}
