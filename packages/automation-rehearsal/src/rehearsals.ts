import { readAutomation } from '@tidings/automations/automations';
import { checkDefinition } from '@tidings/automations/check-definition';
import { allNodes, type AutomationDefinition } from '@tidings/contracts/automations/definition';
import {
  REHEARSAL_ASSUMPTIONS,
  type RehearsalAssumption,
  type RehearsalCounts,
  type RehearsalError,
  type RehearsalStatus,
  type RehearsedRun,
} from '@tidings/contracts/automations/rehearsals';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readNow } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { cannotRehearse } from './cannot-rehearse.ts';
import type { StoredResult } from './run-rehearsal.ts';
import { createTally } from './tally.ts';

const statement = statementsIn(import.meta.dirname);

const DAY_MS = 86_400_000;

/** What someone wants to try. Times are in milliseconds. */
export type RehearsalRequest = {
  readonly applicationId: string;
  readonly slug: string;
  readonly from: number;
  /** Absent: now. */
  readonly to?: number | undefined;
  /** As it came; absent: the draft. */
  readonly definition?: unknown;
  readonly by: string;
};

export type RequestedRehearsal =
  | { readonly rehearsalId: string }
  | { readonly errors: readonly FieldError[] }
  | 'not_found'
  /** Another one of the application. */
  | 'running';

/** Stores a rehearsal, which the scheduler runs. @callers api */
export async function requestRehearsal(
  db: Database,
  { applicationId, slug, from, to: asked, definition, by }: RehearsalRequest,
): Promise<RequestedRehearsal> {
  const automation = await readAutomation(db.sql, { applicationId, slug });
  if (automation === null) return 'not_found';
  const now = await readNow(db.sql);
  const to = asked ?? now;
  const errors = periodFaults({ from, to }, now);
  const checked = await checkDefinition(db.sql, applicationId, definition ?? automation.draft);
  const below = (faults: readonly FieldError[]): FieldError[] =>
    faults.map((fault) => ({
      ...fault,
      pointer: definition === undefined ? fault.pointer : `/definition${fault.pointer}`,
    }));
  if ('errors' in checked) return { errors: [...errors, ...below(checked.errors)] };
  const context = await readConditionContext(db.sql, applicationId);
  errors.push(...below(cannotRehearse(checked.draft, context)));
  if (errors.length > 0) return { errors };
  const { rows } = await db.sql.query<{ id: string }>(statement('insert-rehearsal'), [
    applicationId,
    automation.id,
    stringifyExactJson(checked.draft),
    from,
    to,
    by,
  ]);
  if (rows[0] === undefined) return 'running';
  await db.sql.query(statement('delete-excess-rehearsals'), [applicationId, LIMITS.rehearsalsMax]);
  return { rehearsalId: rows[0].id };
}

function periodFaults(
  { from, to }: { readonly from: number; readonly to: number },
  now: number,
): FieldError[] {
  const days = LIMITS.rehearsalPeriodDaysMax;
  if (to > now) return [{ pointer: '/to', code: 'out_of_range', expected: 'not later than now' }];
  if (from >= to)
    return [{ pointer: '/from', code: 'out_of_range', expected: 'earlier than `to`' }];
  if (to - from > days * DAY_MS)
    return [
      { pointer: '/from', code: 'out_of_range', expected: `at most ${days} days before \`to\`` },
    ];
  return [];
}

export type Rehearsal = RehearsalCounts & {
  readonly rehearsalId: string;
  readonly slug: string;
  readonly status: RehearsalStatus;
  readonly from: number;
  readonly to: number;
  readonly definition: AutomationDefinition;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly endedAt: number | null;
  readonly asOf: number | null;
  readonly assumptions: readonly RehearsalAssumption[];
  readonly traces: readonly (RehearsedRun & { readonly customUserId: string })[];
  readonly error?: RehearsalError;
};

/** A rehearsal, with its numbers so far; null: the application has none with this id. */
export async function readRehearsal(
  sql: Sql,
  { applicationId, rehearsalId }: { readonly applicationId: string; readonly rehearsalId: string },
): Promise<Rehearsal | null> {
  const { rows } = await sql.query<{
    id: string;
    slug: string;
    definition: unknown;
    status: string;
    created_by: string;
    result: string | null;
    error: string | null;
    from_at: number;
    to_at: number;
    created_at: number;
    ended_at: number | null;
  }>(statement('read-rehearsal'), [applicationId, rehearsalId]);
  const [row] = rows;
  if (row === undefined) return null;
  const definition = row.definition as AutomationDefinition;
  const stored = row.result === null ? null : (parseExactJson(row.result) as StoredResult);
  const { asOf, ...counts } = stored ?? { asOf: null, ...nothingYet(definition) };
  return {
    rehearsalId: row.id,
    slug: row.slug,
    status: row.status as RehearsalStatus,
    from: row.from_at,
    to: row.to_at,
    definition,
    createdAt: row.created_at,
    createdBy: row.created_by,
    endedAt: row.ended_at,
    asOf,
    ...counts,
    assumptions: REHEARSAL_ASSUMPTIONS.filter((each) => isAssumed(each, definition)),
    traces: await readTraces(sql, rehearsalId),
    ...(row.error !== null && { error: row.error as RehearsalError }),
  };
}

function isAssumed(
  assumption: RehearsalAssumption,
  { throttle, nodes }: AutomationDefinition,
): boolean {
  if (assumption === 'not_throttled') return throttle !== undefined;
  return (
    assumption !== 'splits_by_weight' ||
    allNodes(nodes).some((node) => 'split' in node && node.winner !== undefined)
  );
}

const nothingYet = (definition: AutomationDefinition): RehearsalCounts => ({
  ...createTally(definition).result(),
  people: { rehearsed: 0, of: 0 },
  events: 0,
  cut: null,
});

async function readTraces(sql: Sql, rehearsalId: string): Promise<Rehearsal['traces']> {
  const { rows } = await sql.query<{ custom_user_id: string | null; run: string }>(
    statement('read-rehearsal-traces'),
    [rehearsalId],
  );
  return rows.map((row) => ({
    customUserId: row.custom_user_id ?? '',
    ...(parseExactJson(row.run) as RehearsedRun),
  }));
}
