import type { Trial } from '@tidings/automations/winners';
import { allMessages } from '@tidings/contracts/automations/ways';
import { drawnReason } from '@tidings/contracts/automations/runs';
import type { Tried } from '@tidings/decisions/splits';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { toMs } from '@tidings/segments/durations';

const statement = statementsIn(import.meta.dirname);

/** A split of an automation that looks for its better branch. */
export type TrialOf = { readonly automationId: string; readonly trial: Trial };

const branchesOf = ({ node }: Trial): string[] =>
  node.split.map((_branch, index) => drawnReason(index));

/** How many runs drew each branch by the counters: at least as many as are compared. */
export async function countDrawn(
  sql: Sql,
  { automationId, trial }: TrialOf,
): Promise<readonly number[]> {
  const branches = branchesOf(trial);
  const { rows } = await sql.query<{ branch: string; n: number }>(statement('count-drawn'), [
    automationId,
    trial.since,
    trial.node.id,
    branches,
  ]);
  return branches.map((branch) => rows.find((row) => row.branch === branch)?.n ?? 0);
}

/** Of the runs that drew each branch, how many did what is compared. Reads all of them. */
export async function readFigures(
  sql: Sql,
  { automationId, trial }: TrialOf,
): Promise<readonly Tried[]> {
  const branches = branchesOf(trial);
  const { id, split, winner } = trial.node;
  const { rows } = await sql.query<{ branch: string | null; n: number; hits: number }>(
    statement('count-branches'),
    [
      automationId,
      trial.since,
      id,
      branches,
      winner.by,
      split.flatMap(({ nodes }) => allMessages(nodes).map(({ node }) => node)),
    ],
  );
  return branches.map((branch) => {
    const { n: of = 0, hits = 0 } = rows.find((row) => row.branch === branch) ?? {};
    return { hits, of };
  });
}

/**
 * When the first person entered since the split is as it is, in milliseconds, and whether its time
 * is over; null: none has.
 */
export async function readFirstEntry(
  sql: Sql,
  { automationId, trial }: TrialOf,
): Promise<{ readonly at: number; readonly isOver: boolean } | null> {
  const { rows } = await sql.query<{ at: number; is_over: boolean }>(statement('first-entry'), [
    automationId,
    trial.since,
    toMs(trial.node.winner.after),
  ]);
  const [first] = rows;
  return first === undefined ? null : { at: first.at, isOver: first.is_over };
}
