import { readProgram } from '@tidings/automations/programs';
import { readTrials, type Trial } from '@tidings/automations/winners';
import { LIMITS } from '@tidings/contracts/limits';
import { decideSplit, type Tried } from '@tidings/decisions/splits';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { countDrawn, readFigures, readFirstEntry, type TrialOf } from './figures.ts';

const statement = statementsIn(import.meta.dirname);

/** A comparison reads every run that took the split. */
const STATEMENT_MS = 60_000;

/** What became of a split, or of the look at an automation. */
export type DecidedSplit = { readonly automationId: string } & (
  | { readonly node: string; readonly choice: number | null; readonly certainty: number }
  | { readonly error: unknown }
);

type ListedAutomation = {
  readonly id: string;
  readonly application_id: string;
  readonly version: number;
};

/**
 * Compares the branches of splits in active automations, when their time has come and enough have
 * taken each: once, however many processes try. One that fails is tried again by the next call.
 * Looks at up to `limit` automations after `after`; `last` is null if there are no more.
 * @callers scheduler
 */
export async function decideSplits(
  db: Database,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ readonly last: string | null; readonly decided: readonly DecidedSplit[] }> {
  const { rows } = await db.sql.query<ListedAutomation>(statement('list-trials'), [after, limit]);
  const decided: DecidedSplit[] = [];
  for (const row of rows)
    try {
      decided.push(...(await decideOf(db, row)));
    } catch (error) {
      decided.push({ automationId: row.id, error });
    }
  return { last: rows.length < limit ? null : (rows.at(-1)?.id ?? null), decided };
}

async function decideOf(
  db: Database,
  { id: automationId, application_id: applicationId, version }: ListedAutomation,
): Promise<DecidedSplit[]> {
  const program = await readProgram(db.sql, { automationId, version });
  const decided: DecidedSplit[] = [];
  for (const trial of await readTrials(db.sql, { automationId, version }, program)) {
    const figures = trial.decision === null ? await toCompare(db, { automationId, trial }) : null;
    if (figures === null) continue;
    const { id: node } = trial.node;
    const split = { applicationId, automationId, version: trial.since, node };
    const outcome = await decideSplit(db.sql, split, figures);
    if (outcome !== null) decided.push({ automationId, node, ...outcome });
  }
  return decided;
}

/** Null: it is not time yet, or too few took one of the branches. */
async function toCompare(db: Database, of: TrialOf): Promise<readonly Tried[] | null> {
  const suffices = (n: number): boolean => n >= minimumOf(of.trial);
  if (!(await countDrawn(db.sql, of)).every(suffices)) return null;
  if ((await readFirstEntry(db.sql, of))?.isOver !== true) return null;
  const figures = await db.transaction((sql) => readFigures(sql, of), {
    statementTimeoutMs: STATEMENT_MS,
  });
  return figures.every((branch) => suffices(branch.of)) ? figures : null;
}

/** How many runs each branch has had before it is compared. */
export const minimumOf = ({ node: { winner } }: Trial): number =>
  winner.minimum ?? LIMITS.splitWinnerMinimum;
