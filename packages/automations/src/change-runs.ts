import type { RunStatus } from '@tidings/contracts/automations/runs';
import { dataErrorState, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { uncountFailure } from './write-steps.ts';

const statement = statementsIn(import.meta.dirname);

export type WhichRun = { readonly automationId: string; readonly runId: string };

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
