import type { DueChunk } from '@tidings/delivery/chunks';
import { itemAt } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { askFor } from './ask.ts';
import { interpret, type StepResult } from './interpret.ts';
import type { Run } from './run.ts';
import { sendAll, type RunSend } from './sends.ts';
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
  const results = new Map<string, StepResult>();
  for (const run of known) {
    const own = answers.get(run.id);
    if (own === undefined) throw new Error('a run has no answers');
    results.set(run.id, interpret(program, run, { answers: own, now }));
  }
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

const NONE: ReadonlyMap<string, SentMessage> = new Map();
