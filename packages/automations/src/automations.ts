import { keepSchedule } from '@tidings/automation-schedules/schedules';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { AutomationStatus } from '@tidings/contracts/automations/runs';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { isSameJson, stringifyExactJson } from '@tidings/platform';
import { forgetThrottle } from '@tidings/delivery/throttles';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { lockSegments } from '@tidings/segments/segments';
import { lockTemplates } from '@tidings/templates/templates';
import { SHARDS } from '@tidings/user-changes/changes';
import { checkDefinition } from './check-definition.ts';
import { keepDates } from './date-builds.ts';
import { listenFor } from './listen-for.ts';
import { lockAutomations } from './relisten.ts';
import { wakeRunsOf } from './wake-runs.ts';

const statement = statementsIn(import.meta.dirname);

export type Automation = {
  readonly id: string;
  readonly slug: string;
  readonly status: AutomationStatus;
  /** What its page shows. */
  readonly draft: AutomationDefinition;
  /** Counts the changes of the draft. */
  readonly draftVersion: number;
  /** The version that people enter; null: it was never activated. */
  readonly liveVersion: number | null;
  readonly live: AutomationDefinition | null;
  /** Milliseconds. */
  readonly activatedAt: number | null;
  readonly pausedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who changed it last: a key, a token or a member. */
  readonly updatedBy: string;
};

export type AutomationVersion = {
  readonly version: number;
  readonly definition: AutomationDefinition;
  readonly createdAt: number;
  readonly createdBy: string;
};

type Which = { readonly applicationId: string; readonly slug: string };
type By = { readonly by: string };

type AutomationRow = {
  readonly id: string;
  readonly slug: string;
  readonly status: string;
  readonly draft: unknown;
  readonly draft_version: number;
  readonly live_version: number | null;
  readonly live: unknown;
  readonly activated_at: Date | null;
  readonly paused_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: string;
};

const toAutomation = (row: AutomationRow): Automation => ({
  id: row.id,
  slug: row.slug,
  status: row.status as AutomationStatus,
  draft: row.draft as AutomationDefinition,
  draftVersion: row.draft_version,
  liveVersion: row.live_version,
  live: row.live as AutomationDefinition | null,
  activatedAt: row.activated_at?.getTime() ?? null,
  pausedAt: row.paused_at?.getTime() ?? null,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  updatedBy: row.updated_by,
});

/** The automations of an application, by slug. */
export async function listAutomations(
  sql: Sql,
  applicationId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<Automation[]> {
  const { rows } = await sql.query<AutomationRow>(statement('list-automations'), [
    applicationId,
    after ?? '',
    limit,
  ]);
  return rows.map(toAutomation);
}

/** An automation; null when the application has none with this slug. */
export async function readAutomation(
  sql: Sql,
  { applicationId, slug }: Which,
): Promise<Automation | null> {
  const { rows } = await sql.query<AutomationRow>(statement('read-automation'), [
    applicationId,
    slug,
  ]);
  return rows[0] === undefined ? null : toAutomation(rows[0]);
}

/** `moved`: the draft is not the expected one. `too_many`: the application has the maximum. */
export type WrittenAutomation =
  | {
      readonly automation: Automation;
      readonly isNew: boolean;
      readonly warnings: readonly Warning[];
    }
  | { readonly errors: readonly FieldError[] }
  | 'moved'
  | 'too_many';

/**
 * Stores a draft. Equal content changes nothing, and nothing that is wrong is stored.
 * @param definition as it came
 * @callers api
 */
export async function writeAutomation(
  db: Database,
  {
    applicationId,
    slug,
    definition: value,
    expectedVersion,
    by,
  }: Which & By & { readonly definition: unknown; readonly expectedVersion?: number },
): Promise<WrittenAutomation> {
  const checked = await checkDefinition(db.sql, applicationId, value);
  if ('errors' in checked) return checked;
  const { draft, warnings } = checked;
  return db.transaction(async (sql): Promise<WrittenAutomation> => {
    await lockAutomations(sql, applicationId);
    const which = { applicationId, slug };
    const current = await readAutomation(sql, which);
    if (expectedVersion !== undefined && expectedVersion !== (current?.draftVersion ?? 0))
      return 'moved';
    const content = stringifyExactJson(draft);
    if (current === null) {
      const { automations } = await count(sql, applicationId);
      if (automations >= LIMITS.automationsMax) return 'too_many';
      await sql.query(statement('insert-automation'), [
        applicationId,
        slug,
        draft.name,
        content,
        by,
      ]);
    } else if (!isSameJson(current.draft, draft))
      await sql.query(statement('write-automation-draft'), [current.id, draft.name, content, by]);
    const automation = await readAutomation(sql, which);
    if (automation === null) throw new Error('an automation that was written is not found');
    return { automation, isNew: current === null, warnings };
  });
}

async function count(
  sql: Sql,
  applicationId: string,
): Promise<{ readonly automations: number; readonly active: number }> {
  const { rows } = await sql.query<{ automations: number; active: number }>(
    statement('count-automations'),
    [applicationId],
  );
  return rows[0] ?? { automations: 0, active: 0 };
}

/** Why an automation cannot be changed so now. */
export type Refusal =
  | 'not_found'
  /** Nothing in the draft differs from what runs. */
  | 'unchanged'
  /** Its status does not allow it. */
  | AutomationStatus
  | 'too_many'
  /** The draft was changed meanwhile. */
  | 'moved'
  | 'has_runs';
export type Changed =
  | { readonly automation: Automation; readonly warnings: readonly Warning[] }
  | { readonly errors: readonly FieldError[] }
  | { readonly refused: Refusal };

/**
 * Makes the draft the version that people enter.
 * @param inFlight `move`: runs of older versions go on in this one, at the node of the same id
 * @callers api
 */
export async function activateAutomation(
  db: Database,
  { applicationId, slug, inFlight, by }: Which & By & { readonly inFlight: 'keep' | 'move' },
): Promise<Changed> {
  const which = { applicationId, slug };
  const seen = await readAutomation(db.sql, which);
  if (seen === null) return { refused: 'not_found' };
  const checked = await checkDefinition(db.sql, applicationId, seen.draft);
  if ('errors' in checked) return checked;
  return change(db, which, async (sql, current) => {
    if (current.draftVersion !== seen.draftVersion) return 'moved';
    if (current.status === 'paused') return 'paused';
    // What the definition names is not deleted meanwhile.
    await lockTemplates(sql, applicationId);
    await lockSegments(sql, applicationId);
    const isChanged = !isSameJson(current.live, checked.runs);
    if (current.status === 'active' && !isChanged) return 'unchanged';
    if (current.status !== 'active') {
      const { active } = await count(sql, applicationId);
      if (active >= LIMITS.activeAutomationsMax) return 'too_many';
    }
    const version = (current.liveVersion ?? 0) + (isChanged ? 1 : 0);
    if (isChanged)
      await sql.query(statement('insert-version'), [
        current.id,
        version,
        applicationId,
        stringifyExactJson(checked.runs),
        by,
      ]);
    await sql.query(statement('activate'), [current.id, version, inFlight === 'move', by]);
    const { trigger } = checked.runs;
    if ('when' in trigger && trigger.existing === true && current.status !== 'active')
      await sql.query(statement('note-existing'), [current.id, applicationId, SHARDS]);
    // Each looks where it is, and what wakes it from now on.
    if (inFlight === 'move') await sql.query(statement('move-runs'), [current.id]);
    return checked.warnings;
  });
}

/** No one enters, and those who are in it wait. @callers api */
export function pauseAutomation(
  db: Database,
  { applicationId, slug, by }: Which & By,
): Promise<Changed> {
  return change(db, { applicationId, slug }, async (sql, current) => {
    if (current.status !== 'active') return current.status;
    await sql.query(statement('change-status'), [current.id, 'paused', by]);
    return [];
  });
}

/**
 * Goes on after a pause.
 * @param missedSends `skip`: messages that are late by more than an hour are left out
 * @callers api
 */
export function resumeAutomation(
  db: Database,
  { applicationId, slug, missedSends, by }: Which & By & { readonly missedSends: 'send' | 'skip' },
): Promise<Changed> {
  return change(db, { applicationId, slug }, async (sql, current) => {
    if (current.status !== 'paused') return current.status;
    await sql.query(statement('change-status'), [current.id, 'active', by]);
    await sql.query(statement('choose-missed-sends'), [current.id, missedSends === 'skip']);
    return [];
  });
}

/**
 * No one enters any more.
 * @param runs what becomes of those who are in it
 * @callers api
 */
export function stopAutomation(
  db: Database,
  { applicationId, slug, runs, by }: Which & By & { readonly runs: 'finish' | 'end' },
): Promise<Changed> {
  return change(db, { applicationId, slug }, async (sql, current) => {
    if (current.status !== 'active' && current.status !== 'paused') return current.status;
    await sql.query(statement('change-status'), [current.id, 'stopped', by]);
    await sql.query(statement('choose-missed-sends'), [current.id, false]);
    if (runs === 'end') await sql.query(statement('end-runs-of-now'), [current.id]);
    return [];
  });
}

/** Archives a draft, or what was stopped and has no runs. @callers api */
export async function archiveAutomation(
  db: Database,
  { applicationId, slug, by }: Which & By,
): Promise<'archived' | Refusal> {
  return db.transaction(async (sql) => {
    await lockAutomations(sql, applicationId);
    const current = await readAutomation(sql, { applicationId, slug });
    if (current === null) return 'not_found';
    if (current.status === 'active' || current.status === 'paused') return current.status;
    const { rows } = await sql.query<{ hasRuns: boolean }>(statement('has-runs'), [current.id]);
    if (rows[0]?.hasRuns === true) return 'has_runs';
    await sql.query(statement('archive-automation'), [current.id, by]);
    await forgetThrottle(sql, current.id);
    await listenFor(sql, applicationId);
    return 'archived';
  });
}

/** Changes an automation under the lock of its application, and what the consumers listen for. */
async function change(
  db: Database,
  which: Which,
  work: (sql: Sql, current: Automation) => Promise<Refusal | readonly Warning[]>,
): Promise<Changed> {
  const changed = await db.transaction(async (sql): Promise<Changed> => {
    await lockAutomations(sql, which.applicationId);
    const current = await readAutomation(sql, which);
    if (current === null) return { refused: 'not_found' };
    const done = await work(sql, current);
    if (typeof done === 'string') return { refused: done };
    await listenFor(sql, which.applicationId);
    const automation = await readAutomation(sql, which);
    if (automation === null) throw new Error('an automation that was changed is not found');
    await keepSchedule(sql, which.applicationId, automation);
    await keepDates(sql, which.applicationId, automation);
    return { automation, warnings: done };
  });
  // Not in the transaction: there may be millions, for which steps of the engine would wait.
  if ('automation' in changed) await wakeRunsOf(db.sql, changed.automation.id);
  return changed;
}

/** Newer than any. */
const VERSION_MAX = 2_147_483_647;

/** The versions of an automation before `before`, newest first. */
export async function listAutomationVersions(
  sql: Sql,
  automationId: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AutomationVersion[]> {
  const { rows } = await sql.query<{
    version: number;
    definition: unknown;
    created_at: Date;
    created_by: string;
  }>(statement('list-automation-versions'), [automationId, before ?? VERSION_MAX, limit]);
  return rows.map((row) => ({
    version: row.version,
    definition: row.definition as AutomationDefinition,
    createdAt: row.created_at.getTime(),
    createdBy: row.created_by,
  }));
}
