import {
  isGoal,
  type AutomationExit,
  type SplitNode,
  type SplitWinner,
} from '@tidings/contracts/automations/definition';
import { readSplitDecisions, type SplitDecision } from '@tidings/decisions/splits';
import { isSameJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';
import type { Program } from './program.ts';
import { readProgram } from './programs.ts';

/** A split that looks for its better branch. */
export type TrialNode = SplitNode & { readonly winner: SplitWinner };

/** What is known of such a split. */
export type Trial = {
  readonly node: TrialNode;
  /** The version in which it became as it is. Those after it have the same. */
  readonly since: number;
  readonly decision: SplitDecision | null;
};

type Version = { readonly automationId: string; readonly version: number };

const trialsOf = ({ steps }: Program): TrialNode[] =>
  [...steps.values()].flatMap(({ node }) =>
    'split' in node && node.winner !== undefined ? [{ ...node, winner: node.winner }] : [],
  );

/** The splits of a version that look for their better branch. */
export async function readTrials(sql: Sql, version: Version, program: Program): Promise<Trial[]> {
  const nodes = trialsOf(program);
  if (nodes.length === 0) return [];
  const decisions = await readSplitDecisions(sql, version.automationId);
  const trials: Trial[] = [];
  for (const node of nodes) {
    const since = await sinceOf(sql, version, node.id);
    const decision = decisions.find((one) => one.node === node.id && one.version === since) ?? null;
    trials.push({ node, since, decision });
  }
  return trials;
}

/** The better branches, by split: of those that have one. */
export async function readWinners(
  sql: Sql,
  version: Version,
  program: Program,
): Promise<ReadonlyMap<string, number>> {
  const trials = await readTrials(sql, version, program);
  return new Map(
    trials.flatMap(({ node, decision }) =>
      decision === null || decision.choice === null ? [] : [[node.id, decision.choice] as const],
    ),
  );
}

/** Versions never change. */
const known = new LRUCache<string, number>({ max: 1_000 });

/** The first of the versions, up to one, in all of which a split is the same. */
async function sinceOf(
  sql: Sql,
  { automationId, version }: Version,
  node: string,
): Promise<number> {
  const key = `${automationId} ${version} ${node}`;
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const compared = comparedIn(await readProgram(sql, { automationId, version }), node);
  let since = version;
  while (since > 1) {
    const before = await readProgram(sql, { automationId, version: since - 1 });
    if (!isSameJson(comparedIn(before, node), compared)) break;
    since -= 1;
  }
  known.set(key, since);
  return since;
}

/** What a comparison is of: the split with its branches, and the goals that it counts. */
function comparedIn(
  { definition: { exit = [] }, steps }: Program,
  id: string,
): { readonly node: unknown; readonly goals: readonly AutomationExit[] } {
  const node = steps.get(id)?.node;
  const countsGoals = node !== undefined && 'split' in node && node.winner?.by === 'goal';
  return { node: node ?? null, goals: countsGoals ? exit.filter(isGoal) : [] };
}
