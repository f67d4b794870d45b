import type { RunStatus, TraceOutcome } from '@tidings/contracts/automations/runs';
import { dataErrorState, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { uncountFailure } from './write-steps.ts';

const statement = statementsIn(import.meta.dirname);

/** A run as it is shown. Times are in milliseconds. */
export type ShownRun = {
  readonly runId: string;
  /** Null: the user was deleted meanwhile. */
  readonly customUserId: string | null;
  readonly version: number;
  readonly status: RunStatus;
  /** Where it waits; null: it has ended, or has not begun. */
  readonly node: string | null;
  readonly key: string;
  readonly error: string | null;
  readonly enteredAt: number;
  readonly waitsUntil: number | null;
  readonly endedAt: number | null;
  readonly goalAt: number | null;
};

/** A line of a trace. */
export type ShownLine = {
  /** Empty: the automation itself. */
  readonly node: string;
  readonly at: number;
  readonly outcome: TraceOutcome;
  readonly reason?: string;
  readonly campaignId?: string;
  readonly deliveryId?: string;
};

type RunRow = {
  readonly id: string;
  readonly custom_user_id: string | null;
  readonly version: number;
  readonly status: string;
  readonly node: string | null;
  readonly entry_key: string;
  readonly error: string | null;
  readonly entered_at: number;
  readonly waits_until: number | null;
  readonly ended_at: number | null;
  readonly goal_at: number | null;
};

const toRun = (row: RunRow): ShownRun => ({
  runId: row.id,
  customUserId: row.custom_user_id,
  version: row.version,
  status: row.status as RunStatus,
  node: row.ended_at === null ? row.node : null,
  key: row.entry_key,
  error: row.error,
  enteredAt: row.entered_at,
  waitsUntil: row.ended_at === null ? row.waits_until : null,
  endedAt: row.ended_at,
  goalAt: row.goal_at,
});

export type RunFilter = {
  readonly status?: RunStatus | undefined;
  /** Where they wait. */
  readonly node?: string | undefined;
  readonly customUserId?: string | undefined;
};

/** Runs of an automation before `before`, newest first. */
export async function listRuns(
  sql: Sql,
  automationId: string,
  {
    before,
    limit,
    ...filter
  }: RunFilter & { readonly before: string | null; readonly limit: number },
): Promise<ShownRun[]> {
  const { rows } = await sql.query<RunRow>(statement('list-runs'), [
    automationId,
    filter.status ?? null,
    filter.node ?? null,
    filter.customUserId ?? null,
    before,
    limit,
  ]);
  return rows.map(toRun);
}

/** A run of a person, with its automation. */
export type RunOfPerson = ShownRun & {
  readonly automation: { readonly slug: string; readonly name: string };
};

/** Runs of a person before `before`, newest first, of all automations; null: there is no such person. */
export async function listRunsOfPerson(
  sql: Sql,
  {
    applicationId,
    customUserId,
    before,
    limit,
  }: {
    readonly applicationId: string;
    readonly customUserId: string;
    readonly before: string | null;
    readonly limit: number;
  },
): Promise<RunOfPerson[] | null> {
  const found = await sql.query<{ id: string }>(statement('person-of-runs'), [
    applicationId,
    customUserId,
  ]);
  const [person] = found.rows;
  if (person === undefined) return null;
  const { rows } = await sql.query<RunRow & { readonly slug: string; readonly name: string }>(
    statement('list-runs-of-person'),
    [person.id, before, limit],
  );
  return rows.map((row) => ({
    ...toRun(row),
    automation: { slug: row.slug, name: row.name },
  }));
}

export type WhichRun = { readonly automationId: string; readonly runId: string };

/** A run with its trace; null: the automation has none with this id. */
export async function readRun(
  sql: Sql,
  { automationId, runId }: WhichRun,
): Promise<(ShownRun & { readonly trace: readonly ShownLine[] }) | null> {
  const { rows } = await sql.query<RunRow>(statement('read-run'), [automationId, runId]);
  const [row] = rows;
  if (row === undefined) return null;
  return { ...toRun(row), trace: await readTrace(sql, runId) };
}

async function readTrace(sql: Sql, runId: string): Promise<ShownLine[]> {
  const { rows } = await sql.query<{
    line: number;
    node: string;
    outcome: string;
    reason: string | null;
    campaign_id: string | null;
    delivery_id: string | null;
    at: number;
  }>(statement('read-trace'), [runId]);
  return rows.map((row) => ({
    node: row.node,
    at: row.at,
    outcome: row.outcome as TraceOutcome,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.campaign_id !== null && { campaignId: row.campaign_id }),
    ...(row.delivery_id !== null && { deliveryId: row.delivery_id }),
  }));
}

/** `other_run`: the person is in it again since. Else the status that does not allow it. */
export type ChangedRun = 'changed' | 'not_found' | 'other_run' | RunStatus;

type LockedRun = {
  readonly id: string;
  readonly status: string;
  readonly shard: number;
  readonly application_id: string;
  readonly automation_id: string;
  readonly version: number;
  readonly entered_at: number;
  /** Where it waited. */
  readonly node: string | null;
};

/** The engine ends the run at once, as one that was taken out. @callers api */
export function endRun(db: Database, which: WhichRun): Promise<ChangedRun> {
  return changeRun(db, which, async (sql, run) => {
    if (run.status !== 'active') return run.status as RunStatus;
    await sql.query(statement('ask-to-end'), [run.id]);
    return 'changed';
  });
}

const UNIQUE_VIOLATION = '23505';

/**
 * A run that was given up goes on where it failed. Of several at once one does so. A run of the same
 * person that begins meanwhile is kept. @callers api
 */
export async function retryRun(db: Database, which: WhichRun): Promise<ChangedRun> {
  try {
    return await beginAgain(db, which);
  } catch (error) {
    // Its person entered between the question and the change.
    if (dataErrorState(error) === UNIQUE_VIOLATION) return 'other_run';
    throw error;
  }
}

function beginAgain(db: Database, which: WhichRun): Promise<ChangedRun> {
  return changeRun(db, which, async (sql, run) => {
    if (run.status !== 'failed') return run.status as RunStatus;
    const { rows } = await sql.query<{ hasOther: boolean }>(statement('has-other-run'), [run.id]);
    if (rows[0]?.hasOther === true) return 'other_run';
    await sql.query(statement('begin-again'), [run.id]);
    await uncountFailure(sql, {
      automationId: run.automation_id,
      applicationId: run.application_id,
      version: run.version,
      shard: run.shard,
      node: run.node,
      enteredAt: run.entered_at,
    });
    return 'changed';
  });
}

function changeRun(
  db: Database,
  { automationId, runId }: WhichRun,
  change: (sql: Sql, run: LockedRun) => Promise<ChangedRun>,
): Promise<ChangedRun> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<LockedRun>(statement('lock-run'), [automationId, runId]);
    const [run] = rows;
    if (run === undefined) return 'not_found';
    const changed = await change(sql, run);
    if (changed === 'changed')
      await sql.query(statement('make-due'), [
        run.id,
        run.shard,
        run.application_id,
        run.automation_id,
      ]);
    return changed;
  });
}
