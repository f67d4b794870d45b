import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Rows of one statement: steps of the engine wait for it. */
const RUNS_MAX = 10_000;
/** Statements of a request; the scheduler does the rest. */
const STEPS_MAX = 5;

/**
 * Lets some runs go on that waited for a pause to end, or that are to move or end, of one automation
 * or of all. Returns whether there may be more. @callers automations, scheduler
 */
export async function wakeSomeRuns(
  sql: Sql,
  automationId: string | null,
  limit = RUNS_MAX,
): Promise<boolean> {
  const values = [automationId, limit];
  const { rowCount: unparked } = await sql.query(statement('unpark-runs'), values);
  const { rowCount: woken } = await sql.query(statement('wake-runs'), values);
  if (woken === 0 && automationId === null) await sql.query(statement('end-waking'));
  return unparked === limit || woken === limit;
}

/** The runs of an automation that has just changed, as far as a request may take. @callers automations */
export async function wakeRunsOf(sql: Sql, automationId: string): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step += 1)
    if (!(await wakeSomeRuns(sql, automationId))) return;
}
