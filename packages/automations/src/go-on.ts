import { reserve, type Sender } from '@tidings/delivery/throttles';
import { itemAt } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { askFor } from './ask.ts';
import { interpret, type Answers, type StepResult } from './interpret.ts';
import type { Run } from './run.ts';
import type { RunSend } from './sends.ts';
import { readPace, readWaitingForPace } from './throttle.ts';
import { endOf, toStep, type SentMessage } from './to-step.ts';
import type { VersionNow } from './version-now.ts';
import type { WrittenStep } from './write-steps.ts';

/** What becomes of runs of one version, and the messages on their way, before these are sent. */
export type Planned = {
  readonly of: VersionNow;
  readonly runs: readonly Run[];
  readonly results: ReadonlyMap<string, StepResult>;
  readonly sends: readonly RunSend[];
};

/** Runs of one version go as far as they can. */
export async function planSteps(sql: Sql, of: VersionNow, runs: readonly Run[]): Promise<Planned> {
  const known = runs.filter(({ node }) => node === null || of.program.steps.has(node));
  const answers = await askFor(sql, { ...of, runs: known });
  const results = await interpretAll(sql, of, { runs: known, answers });
  const sends = known.flatMap((run): RunSend[] =>
    (results.get(run.id)?.trace ?? []).flatMap(({ node, messageNo }) =>
      messageNo === undefined ? [] : [{ of, run, node, messageNo }],
    ),
  );
  return { of, runs, results, sends };
}

/** What is stored of them. */
export const stepsOf = (
  { of, runs, results }: Planned,
  sent: ReadonlyMap<string, ReadonlyMap<string, SentMessage>>,
): WrittenStep[] =>
  runs.map((run) => {
    const result = results.get(run.id);
    return result === undefined
      ? endOf(run, { now: of.now, reason: 'node_removed' })
      : toStep(run, { ...of, result, sent: sent.get(run.id) ?? NONE, isNew: run.lines === 0 });
  });

/** Where a throttle is, each run asks it before it sends, and goes on with the instant it has got. */
async function interpretAll(
  sql: Sql,
  of: VersionNow,
  {
    runs,
    answers,
  }: { readonly runs: readonly Run[]; readonly answers: ReadonlyMap<string, Answers> },
): Promise<Map<string, StepResult>> {
  const { program, now } = of;
  const pace = await readPace(sql, of);
  const newlyPaced = await readWaitingForPace(sql, of, runs);
  const slots = new Map(runs.map(({ id }) => [id, new Map<string, number>()]));
  const results = new Map<string, StepResult>();
  // Each time a run that asks comes further: a definition has no cycles.
  for (let asking = runs; asking.length > 0;) {
    const senders: (Sender & { readonly node: string })[] = [];
    for (const run of asking) {
      const own = answers.get(run.id);
      const ownSlots = slots.get(run.id);
      if (own === undefined || ownSlots === undefined) throw new Error('a run has no answers');
      const place = newlyPaced.has(run.id) ? { ...run, waitsUntil: now } : run;
      const result = interpret(program, place, {
        answers: pace === null ? own : { ...own, slots: ownSlots },
        now,
      });
      results.set(run.id, result);
      const { state } = result;
      if ('asksSlot' in state)
        senders.push({
          runId: run.id,
          node: state.node,
          isHeld: state.node === run.node && run.waitsUntil !== null,
        });
    }
    if (pace === null || senders.length === 0) break;
    const given = await reserve(
      sql,
      { automationId: of.automation.id, applicationId: itemAt(runs, 0).applicationId },
      { pace, now, senders },
    );
    for (const { runId, node } of senders) slots.get(runId)?.set(node, given.get(runId) ?? now);
    const again = new Set(senders.map(({ runId }) => runId));
    asking = asking.filter(({ id }) => again.has(id));
  }
  return results;
}

const NONE: ReadonlyMap<string, SentMessage> = new Map();
