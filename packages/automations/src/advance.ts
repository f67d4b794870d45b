import type { DueChunk } from '@tidings/delivery/chunks';
import { itemAt } from '@tidings/platform';
import { isCanceled, isTransactionConflict, type Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { begin, noteEntries } from './begin.ts';
import { countGoals } from './count-goals.ts';
import { goOn } from './go-on.ts';
import { readProgram } from './programs.ts';
import type { Run } from './run.ts';
import { readAutomationsOf, type RunningAutomation } from './runs-due.ts';
import { endOf, failureOf, postponed } from './to-step.ts';
import { parkTimers, writeSteps, type WrittenStep } from './write-steps.ts';

/** How often a settling run looks whether the profile has been stored. */
const SETTLING_MS = 200;
/** For how long runs wait whose conditions took too long. */
const PUT_OFF_MS = 60_000;

/** A step over runs of one shard, which is locked. */
export type Stepping = {
  readonly sql: Sql;
  /** Milliseconds: one moment for all runs. */
  readonly now: number;
  /** What conditions of an application may name. */
  contextOf(applicationId: string): Promise<ConditionContext>;
  /** A run could not go on: it is tried again, or given up. */
  onFailure(error: unknown, run: Run): void;
  /** Whether an event enters its person could not be decided: it does not. */
  onEntryFailure(error: unknown, automationId: string): void;
  /** The condition of a live segment failed, or took too long: its people are asked later. */
  onSegmentFailure(error: unknown, slug: string): void;
  /** The conditions of an automation took too long: its runs wait. */
  onPutOff(automationId: string): void;
};

/** Takes runs as far as they can go now. Returns the chunks to dispatch after the commit. */
export async function advance(stepping: Stepping, runs: readonly Run[]): Promise<DueChunk[]> {
  const automations = await readAutomationsOf(stepping.sql, runs);
  const chunks: DueChunk[] = [];
  // In one order: engines of other shards append to the same campaigns.
  for (const [automationId, own] of inOrder(Map.groupBy(runs, (run) => run.automationId))) {
    const automation = automations.get(automationId);
    if (automation === undefined) throw new Error('an automation with runs is missing');
    chunks.push(...(await advanceSome(stepping, automation, own)));
  }
  return chunks;
}

/** Runs go on in the next step. */
export function makeDue({ sql, now }: Stepping, runs: readonly Run[]): Promise<void> {
  return writeSteps(
    sql,
    runs.map((run) => postponed(run, now)),
  );
}

/** A step that fails is halved until the run is found that makes it fail. The others go on. */
async function advanceSome(
  stepping: Stepping,
  automation: RunningAutomation,
  runs: readonly Run[],
): Promise<readonly DueChunk[]> {
  const { sql, now } = stepping;
  await sql.query('savepoint step');
  try {
    const chunks = await advanceAll(stepping, automation, runs);
    await sql.query('release savepoint step');
    return chunks;
  } catch (error) {
    // Without a connection this fails too, and with it the whole step.
    await sql.query('rollback to savepoint step');
    // The step is repeated as a whole.
    if (isTransactionConflict(error)) throw error;
    if (isCanceled(error)) {
      await writeSteps(
        sql,
        runs.map((run) => postponed(run, now + PUT_OFF_MS)),
      );
      stepping.onPutOff(automation.id);
      return [];
    }
    if (runs.length === 1) {
      const run = itemAt(runs, 0);
      const step = failureOf(run, error, now);
      await writeSteps(sql, [step]);
      if (step.status === 'failed' && run.lines === 0) await noteEntries(sql, [run]);
      stepping.onFailure(error, run);
      return [];
    }
    const half = Math.ceil(runs.length / 2);
    return [
      ...(await advanceSome(stepping, automation, runs.slice(0, half))),
      ...(await advanceSome(stepping, automation, runs.slice(half))),
    ];
  }
}

async function advanceAll(
  stepping: Stepping,
  automation: RunningAutomation,
  runs: readonly Run[],
): Promise<readonly DueChunk[]> {
  const { sql, now } = stepping;
  const ended = runs.filter(({ status }) => status === 'completed');
  const others = runs.filter(({ status }) => status === 'active');
  const steps: WrittenStep[] = [...(await stepsOfEnded(stepping, ended))];
  const waiting: Run[] = [];
  const going: Run[] = [];
  for (const run of others) {
    const { endRequested, enteredAt, isSettled, settlesUntil } = run;
    if (endRequested) steps.push(endOf(run, { now, reason: 'ended' }));
    else if (automation.endsBefore !== null && enteredAt <= automation.endsBefore)
      steps.push(endOf(run, { now, reason: 'stopped' }));
    else if (automation.status === 'paused') waiting.push(run);
    else if (!isSettled && settlesUntil !== null && settlesUntil > now)
      steps.push(postponed(run, now + SETTLING_MS));
    else going.push(run);
  }
  await noteEntries(
    sql,
    steps.flatMap(({ run, status }) => (run.lines === 0 && status === 'exited' ? [run] : [])),
  );
  await parkTimers(sql, automation.id, waiting);
  const chunks: DueChunk[] = [];
  const versionOf = (run: Run): number => Math.max(run.version, automation.movedTo ?? 0);
  for (const [version, own] of inOrder(Map.groupBy(going, versionOf))) {
    const program = await readProgram(sql, { automationId: automation.id, version });
    const context = await stepping.contextOf(itemAt(own, 0).applicationId);
    const of = { automation, program, version, context, now };
    const begun = await begin(sql, of, own);
    const went = await goOn(sql, of, begun.runs);
    steps.push(...went.steps, ...begun.refused.map((run) => endOf(run, { now, reason: 'filter' })));
    chunks.push(...went.chunks);
  }
  await writeSteps(sql, steps);
  return chunks;
}

/** Of runs past their last node, which may still reach a goal. */
async function stepsOfEnded(
  { sql, now, contextOf }: Stepping,
  runs: readonly Run[],
): Promise<WrittenStep[]> {
  const steps: WrittenStep[] = [];
  for (const [version, own] of Map.groupBy(runs, (run) => run.version)) {
    const { automationId, applicationId } = itemAt(own, 0);
    const program = await readProgram(sql, { automationId, version });
    const context = await contextOf(applicationId);
    steps.push(...(await countGoals(sql, { program, context, now }, own)));
  }
  return steps;
}

const inOrder = <Key extends string | number, Value>(groups: ReadonlyMap<Key, Value>) =>
  [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
