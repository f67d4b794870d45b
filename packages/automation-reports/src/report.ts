import type { Automation } from '@tidings/automations/automations';
import { allNodes, type AutomationNode } from '@tidings/contracts/automations/definition';
import { branchOfReason } from '@tidings/contracts/automations/runs';
import { STATE_GROUPS, SUCCESS_STATES } from '@tidings/contracts/push/deliveries';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** How many runs there were: `entered` is the sum of the four after it. */
export type Totals = {
  readonly entered: number;
  readonly active: number;
  readonly completed: number;
  readonly exited: number;
  readonly failed: number;
  /** Of them, those that reached a goal. */
  readonly goals: number;
};

/** A state counts in all success states before it, as in campaigns. */
export type SentCounts = Readonly<Record<StateGroup, number>> & { readonly total: number };
export type StateGroup = (typeof STATE_GROUPS)[keyof typeof STATE_GROUPS];

export type NodeReport = {
  readonly id: string;
  readonly entered: number;
  /** Runs that are there now. */
  readonly waiting: number;
  /** Runs that went on. */
  readonly passed: number;
  /** Of them, how many took which branch: `then`, `else`, or its place in a split. */
  readonly branches?: Readonly<Record<string, number>>;
  /** Of a send: what became of its messages. */
  readonly sent?: SentCounts;
  /** Of a send: for whom there was none, by reason. */
  readonly skipped?: Readonly<Record<string, number>>;
};

export type Report = Totals & { readonly nodes: readonly NodeReport[] };

type Period = { readonly from?: number | undefined; readonly to?: number | undefined };
/** How often something happened at a node; node '' is the automation. */
export type CountRow = {
  readonly node: string;
  readonly outcome: string;
  readonly reason: string;
  readonly n: number;
};

/**
 * What became of those who entered on some days in UTC, also if it happened later: so `entered` is
 * the sum of the states in any period. Messages are those of campaigns that began on these days.
 * `from` and `to` are milliseconds.
 */
export async function readReport(
  sql: Sql,
  {
    applicationId,
    automation: { id, live, draft },
  }: { readonly applicationId: string; readonly automation: Automation },
  { from, to }: Period,
): Promise<Report> {
  const { rows } = await sql.query<CountRow>(statement('read-counts'), [
    id,
    from ?? null,
    to ?? null,
  ]);
  const sent = await readSent(sql, [applicationId, id, from ?? null, to ?? null]);
  return toReport(rows, (live ?? draft).nodes, sent);
}

/** Counts as a report; nodes that the definition does not have stand at the end. */
export function toReport(
  rows: readonly CountRow[],
  nodes: readonly AutomationNode[],
  sent: ReadonlyMap<string, SentCounts>,
): Report {
  const byNode = Map.groupBy(rows, ({ node }) => node);
  const known = allNodes(nodes);
  // Those of versions before stand at the end.
  const older = [...byNode.keys()].filter(
    (node) => node !== '' && !known.some((each) => each.id === node),
  );
  return {
    ...totalsOf(byNode.get('') ?? []),
    nodes: [...known.map((node) => node.id), ...older].map((node) => {
      const counts = byNode.get(node) ?? [];
      const skipped = counts.filter(({ outcome }) => outcome === 'skipped');
      const branches = counts.filter(
        ({ outcome, reason }) => outcome === 'passed' && reason !== '',
      );
      const own = sent.get(node);
      const entered = countOf(counts, 'entered');
      const left = counts.reduce((sum, { outcome, n }) => sum + (outcome === 'entered' ? 0 : n), 0);
      const gone = ['exited', 'goal', 'failed'].reduce(
        (sum, outcome) => sum + countOf(counts, outcome),
        0,
      );
      return {
        id: node,
        entered,
        waiting: Math.max(0, entered - left),
        passed: left - gone,
        ...(branches.length > 0 && { branches: byBranch(branches) }),
        ...(own !== undefined && { sent: own }),
        ...(skipped.length > 0 && { skipped: byReason(skipped) }),
      };
    }),
  };
}

const byReason = (rows: readonly CountRow[]): Readonly<Record<string, number>> =>
  Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));

/** Also of runs that took the better branch. */
const byBranch = (rows: readonly CountRow[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ reason }) => branchOfReason(reason))].map(([branch, own]) => [
      branch,
      own.reduce((sum, { n }) => sum + n, 0),
    ]),
  );

const countOf = (rows: readonly Pick<CountRow, 'outcome' | 'n'>[], outcome: string): number =>
  rows.reduce((sum, row) => sum + (row.outcome === outcome ? row.n : 0), 0);

function totalsOf(rows: readonly Pick<CountRow, 'outcome' | 'n'>[]): Totals {
  const [entered, completed, exited, failed, goals] = (
    ['entered', 'completed', 'exited', 'failed', 'goal'] as const
  ).map((outcome) => countOf(rows, outcome)) as [number, number, number, number, number];
  return {
    entered,
    active: entered - completed - exited - failed,
    completed,
    exited,
    failed,
    goals,
  };
}

async function readSent(sql: Sql, values: readonly unknown[]): Promise<Map<string, SentCounts>> {
  const { rows } = await sql.query<{ node: string; state: string; n: number }>(
    statement('read-sent-counts'),
    [...values],
  );
  return new Map(
    [...Map.groupBy(rows, ({ node }) => node)].map(([node, own]) => {
      const groups = Object.fromEntries(
        Object.values(STATE_GROUPS).map((group) => [
          group,
          own.reduce((sum, { state, n }) => sum + (state === group ? n : 0), 0),
        ]),
      ) as Record<StateGroup, number>;
      const total = Object.values(groups).reduce((sum, n) => sum + n, 0);
      for (const state of [...SUCCESS_STATES].reverse().slice(1)) {
        const later = SUCCESS_STATES[SUCCESS_STATES.indexOf(state) + 1];
        if (later !== undefined) groups[state] += groups[later];
      }
      return [node, { ...groups, total }];
    }),
  );
}

/** The totals of automations, by id. */
export async function readTotals(
  sql: Sql,
  automationIds: readonly string[],
): Promise<Map<string, Totals>> {
  const { rows } = await sql.query<{ automation_id: string; outcome: string; n: number }>(
    statement('read-totals'),
    [automationIds],
  );
  const byId = Map.groupBy(rows, (row) => row.automation_id);
  return new Map(automationIds.map((id) => [id, totalsOf(byId.get(id) ?? [])]));
}
