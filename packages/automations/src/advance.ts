import type { DueChunk } from '@tidings/delivery/chunks';
import { itemAt, systemClock } from '@tidings/platform';
import {
  isCanceled,
  isLockTimeout,
  isTransactionConflict,
  type Sql,
} from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { begin, noteEntries } from './begin.ts';
import { countGoals } from './count-goals.ts';
import { planSteps, stepsOf, type Planned } from './go-on.ts';
import { readProgram } from './programs.ts';
import type { Run } from './run.ts';
import { readAutomationsOf, type RunningAutomation } from './runs-due.ts';
import { sendAll } from './sends.ts';
import { shares } from './shares.ts';
import { endOf, failureOf, postponed } from './to-step.ts';
import { parkTimers, writeSteps, type WrittenStep } from './write-steps.ts';

/** How often a settling run looks whether the profile has been stored. */
const SETTLING_MS = 200;
/** For how long runs wait whose conditions took too long. */
const PUT_OFF_MS = 60_000;
/** For how long they wait whose throttle another step has. */
const BUSY_MS = 1_000;

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
  for (const [, own] of inOrder(Map.groupBy(runs, (run) => run.applicationId)))
    chunks.push(...(await advanceSome(stepping, automations, own)));
  return chunks;
}

/** Runs go on in the next step. */
export function makeDue({ sql, now }: Stepping, runs: readonly Run[]): Promise<void> {
  return writeSteps(
    sql,
    runs.map((run) => postponed(run, now)),
  );
}

type Automations = ReadonlyMap<string, RunningAutomation>;

/**
 * Runs of one application go on together: what they write is one statement for all automations. If
 * that fails, each automation is on its own, and is halved until the run is found that makes it fail.
 * The others go on.
 */
async function advanceSome(
  stepping: Stepping,
  automations: Automations,
  runs: readonly Run[],
): Promise<readonly DueChunk[]> {
  const { sql, now } = stepping;
  const { applicationId } = itemAt(runs, 0);
  const asking: Asking = { automationId: null, since: 0 };
  const groups = inOrder(Map.groupBy(runs, (run) => run.automationId));
  await sql.query('savepoint step');
  try {
    const chunks = await advanceAll(stepping, { applicationId, automations, groups, asking });
    await sql.query('release savepoint step');
    return chunks;
  } catch (error) {
    // Without a connection this fails too, and with it the whole step.
    await sql.query('rollback to savepoint step');
    // The step is repeated as a whole.
    if (isTransactionConflict(error)) throw error;
    const below = async (some: readonly Run[]): Promise<readonly DueChunk[]> =>
      some.length === 0 ? [] : advanceSome(stepping, automations, some);
    const late = groups.length === 1 ? groups[0]?.[0] : asking.automationId;
    if (late != null && (isCanceled(error) || isLockTimeout(error))) {
      const isBusy = isLockTimeout(error);
      noteAsked(asking);
      const [own, others] = split(runs, (run) => run.automationId === late);
      await writeSteps(
        sql,
        own.map((run) => postponed(run, now + (isBusy ? BUSY_MS : PUT_OFF_MS))),
      );
      if (!isBusy) stepping.onPutOff(late);
      return below(others);
    }
    if (groups.length > 1) {
      const chunks: DueChunk[] = [];
      for (const [, own] of groups) chunks.push(...(await below(own)));
      return chunks;
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
    return [...(await below(runs.slice(0, half))), ...(await below(runs.slice(half)))];
  }
}

/** The automation whose conditions are asked, and since when; null: a statement for all of them. */
type Asking = { automationId: string | null; since: number };

function noteAsked({ automationId, since }: Asking): void {
  if (automationId !== null) shares.note(automationId, systemClock.monotonicMs() - since);
}

async function advanceAll(
  stepping: Stepping,
  {
    applicationId,
    automations,
    groups,
    asking,
  }: {
    readonly applicationId: string;
    readonly automations: Automations;
    readonly groups: readonly (readonly [string, readonly Run[]])[];
    readonly asking: Asking;
  },
): Promise<readonly DueChunk[]> {
  const { sql, now } = stepping;
  const context = await stepping.contextOf(applicationId);
  const steps: WrittenStep[] = [];
  const entered: Run[] = [];
  const planned: Planned[] = [];
  for (const [automationId, runs] of groups) {
    Object.assign(asking, { automationId, since: systemClock.monotonicMs() });
    const automation = automations.get(automationId);
    if (automation === undefined) throw new Error('an automation with runs is missing');
    const [ended, others] = split(runs, ({ status }) => status === 'completed');
    steps.push(...(await stepsOfEnded(stepping, ended)));
    const waiting: Run[] = [];
    const going: Run[] = [];
    for (const run of others) {
      const { status, endRequested, enteredAt, isSettled, settlesUntil } = run;
      if (status !== 'active') continue;
      if (endRequested) steps.push(endOf(run, { now, reason: 'ended' }));
      else if (automation.endsBefore !== null && enteredAt <= automation.endsBefore)
        steps.push(endOf(run, { now, reason: 'stopped' }));
      else if (automation.status === 'paused') waiting.push(run);
      else if (!isSettled && settlesUntil !== null && settlesUntil > now)
        steps.push(postponed(run, now + SETTLING_MS));
      else going.push(run);
    }
    await parkTimers(sql, automation.id, waiting);
    const versionOf = (run: Run): number => Math.max(run.version, automation.movedTo ?? 0);
    for (const [version, own] of inOrder(Map.groupBy(going, versionOf))) {
      const program = await readProgram(sql, { automationId: automation.id, version });
      const of = { automation, program, version, context, now };
      const begun = await begin(sql, of, own);
      entered.push(...begun.entered);
      planned.push(await planSteps(sql, of, begun.runs));
      steps.push(...begun.refused.map((run) => endOf(run, { now, reason: 'filter' })));
    }
    noteAsked(asking);
  }
  asking.automationId = null;
  const endedAtOnce = steps.filter(({ run, status }) => run.lines === 0 && status === 'exited');
  await noteEntries(sql, [...entered, ...endedAtOnce.map(({ run }) => run)]);
  const sent = await sendAll(
    sql,
    planned.flatMap(({ sends }) => sends),
  );
  steps.push(...planned.flatMap((each) => stepsOf(each, sent.messages)));
  await writeSteps(sql, steps);
  return sent.chunks;
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

const split = <T>(all: readonly T[], is: (one: T) => boolean): readonly [T[], T[]] => [
  all.filter(is),
  all.filter((one) => !is(one)),
];

const inOrder = <Key extends string | number, Value>(groups: ReadonlyMap<Key, Value>) =>
  [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
