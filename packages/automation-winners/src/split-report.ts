import type { Automation } from '@tidings/automations/automations';
import { readProgram } from '@tidings/automations/programs';
import { readTrials, type Trial } from '@tidings/automations/winners';
import type { SplitReport } from '@tidings/contracts/automations/split-report';
import type { Sql } from '@tidings/postgres/database';
import { toMs } from '@tidings/segments/durations';
import { minimumOf } from './decide-splits.ts';
import { countDrawn, readFigures, readFirstEntry, type TrialOf } from './figures.ts';

/** Counting the hits of more runs takes longer than a page may wait. */
const RUNS_COUNTED_MAX = 50_000;

/** The splits of what people enter that look for their better branch, by node. */
export async function readSplitReports(
  sql: Sql,
  { id: automationId, liveVersion: version }: Automation,
): Promise<ReadonlyMap<string, SplitReport>> {
  if (version === null) return new Map();
  const program = await readProgram(sql, { automationId, version });
  const reports = new Map<string, SplitReport>();
  for (const trial of await readTrials(sql, { automationId, version }, program))
    reports.set(trial.node.id, await reportOf(sql, { automationId, trial }));
  return reports;
}

async function reportOf(sql: Sql, of: TrialOf): Promise<SplitReport> {
  const { node, decision } = of.trial;
  const { by, after } = node.winner;
  const first = await readFirstEntry(sql, of);
  return {
    by,
    after,
    minimum: minimumOf(of.trial),
    decideAt: first === null ? null : first.at + toMs(after),
    figures: await figuresOf(sql, of),
    decision:
      decision === null
        ? null
        : {
            choice: decision.choice,
            certainty: decision.certainty,
            decidedAt: decision.decidedAt,
          },
  };
}

async function figuresOf(sql: Sql, of: TrialOf): Promise<SplitReport['figures']> {
  const known: Trial['decision'] = of.trial.decision;
  const shown = (figures: readonly { readonly of: number; readonly hits: number }[]) =>
    figures.map(({ of: runs, hits }) => ({ runs, hits }));
  if (known !== null) return shown(known.figures);
  const drawn = await countDrawn(sql, of);
  return drawn.reduce((sum, n) => sum + n, 0) > RUNS_COUNTED_MAX
    ? drawn.map((runs) => ({ runs, hits: null }))
    : shown(await readFigures(sql, of));
}
