import { asTable } from '@tidings/tools/as-table';
import type { Part } from './nightly-parts.ts';
import { runStep, type Outcome, type StepResult } from './run-step.ts';

type Row = StepResult & { readonly name: string };

export type NightlyOptions = {
  readonly signal: AbortSignal;
  readonly partLimitMs: number;
  /** Stops what a step left, which did not stop by itself. */
  readonly sweep: () => Promise<void>;
  readonly print: (text: string) => void;
};

/**
 * Runs parts in turn, also after one that failed, and prints a table. The steps of a part share its
 * time. Resolves with the exit code.
 */
export async function runNightly(
  parts: Readonly<Record<string, Part>>,
  { signal, partLimitMs, sweep, print }: NightlyOptions,
): Promise<number> {
  const rows: Row[] = [];
  for (const [name, { settings, steps }] of Object.entries(parts)) {
    print(`\n=== ${name}: ${settings}; at most ${Math.round(partLimitMs / 60_000)} minutes\n`);
    const endsAt = performance.now() + partLimitMs;
    for (const step of steps) {
      const limitMs = endsAt - performance.now();
      const result: StepResult =
        signal.aborted || limitMs <= 0
          ? { outcome: 'failed', seconds: 0, said: signal.aborted ? 'interrupted' : 'no time left' }
          : await runStep(step, { limitMs, signal });
      rows.push({ ...result, name: step.name });
      await sweep();
    }
  }
  print(`\n${asTable([['part', 'result', 'time', 'last line'], ...rows.map(cellsOf)])}\n`);
  const count = (outcome: Outcome): number => rows.filter((row) => row.outcome === outcome).length;
  print(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`);
  return count('failed') > 0 ? 1 : 0;
}

const cellsOf = ({ name, outcome, seconds, said }: Row): readonly string[] => [
  name,
  outcome,
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`,
  said,
];
