import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { findBest, type Tried } from './compare-rates.ts';

export type { Tried } from './compare-rates.ts';

const statement = statementsIn(import.meta.dirname);

/** A split of an automation, from the version on in which it became as it is. */
export type Split = {
  readonly applicationId: string;
  readonly automationId: string;
  readonly version: number;
  readonly node: string;
};

/** What was decided about a split. It never changes. */
export type SplitDecision = Pick<Split, 'version' | 'node'> & {
  /** The place of the better branch; null: none is. */
  readonly choice: number | null;
  readonly certainty: number;
  /** Of each branch. */
  readonly figures: readonly Tried[];
  /** Milliseconds. */
  readonly decidedAt: number;
};

/** What was decided about the splits of an automation, in any of its versions. */
export async function readSplitDecisions(
  sql: Sql,
  automationId: string,
): Promise<readonly SplitDecision[]> {
  const { rows } = await sql.query<{
    version: number;
    node: string;
    choice: number | null;
    certainty: number | null;
    figures: unknown;
    decided_at: number;
  }>(statement('read-split-decisions'), [automationId]);
  return rows.map(({ version, node, choice, certainty, figures, decided_at: decidedAt }) => ({
    version,
    node,
    choice,
    certainty: certainty ?? 0,
    figures: figures as readonly Tried[],
    decidedAt,
  }));
}

/**
 * Compares the branches of a split, and keeps the answer: each split is decided once, by the first
 * of several processes. Null: another one was first. @callers automation-winners
 */
export async function decideSplit(
  sql: Sql,
  { applicationId, automationId, version, node }: Split,
  branches: readonly Tried[],
): Promise<Pick<SplitDecision, 'choice' | 'certainty'> | null> {
  const best = findBest(branches);
  const certainty = best?.certainty ?? 0;
  const choice = best?.isBetter === true ? best.index : null;
  const { rowCount } = await sql.query(statement('insert-split-decision'), [
    applicationId,
    automationId,
    version,
    node,
    choice,
    certainty,
    JSON.stringify(branches),
  ]);
  return rowCount === 1 ? { choice, certainty } : null;
}
