import type { DueChunk } from '@tidings/delivery/chunks';
import { reserve, type Sender } from '@tidings/delivery/throttles';
import { itemAt } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { askFor } from './ask.ts';
import { interpret, type Answers, type StepResult } from './interpret.ts';
import type { Run } from './run.ts';
import { sendAll, type RunSend } from './sends.ts';
import { readPace, readWaitingForPace } from './throttle.ts';
import { endOf, toStep, type SentMessage } from './to-step.ts';
import type { VersionNow } from './version-now.ts';
import type { WrittenStep } from './write-steps.ts';

/** Runs of one version go as far as they can, and send what is on their way. */
export async function goOn(
  sql: Sql,
  of: VersionNow,
  runs: readonly Run[],
): Promise<{ readonly steps: readonly WrittenStep[]; readonly chunks: readonly DueChunk[] }> {
  const { program, now } = of;
  const isKnown = ({ node }: Run): boolean => node === null || program.steps.has(node);
  const known = runs.filter(isKnown);
  const answers = await askFor(sql, { ...of, runs: known });
  const results = await interpretAll(sql, of, { runs: known, answers });
  const sends = known.flatMap((run): RunSend[] =>
    (results.get(run.id)?.trace ?? []).flatMap(({ node, messageNo }) =>
      messageNo === undefined ? [] : [{ run, node, messageNo }],
    ),
  );
  const { sent, chunks } = await sendAll(sql, of, sends);
  const sentOf = new Map<string, Map<string, SentMessage>>();
  for (const [index, { run, node }] of sends.entries()) {
    const own = sentOf.get(run.id) ?? new Map<string, SentMessage>();
    sentOf.set(run.id, own.set(node, itemAt(sent, index)));
  }
  const steps = runs.map((run): WrittenStep => {
    const result = results.get(run.id);
    if (result === undefined) return endOf(run, { now, reason: 'node_removed' });
    const isNew = run.lines === 0;
    return toStep(run, { ...of, result, sent: sentOf.get(run.id) ?? NONE, isNew });
  });
  return { steps, chunks };
}

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
