import type { Recovery } from './fault-row.ts';
import type { RowResult } from './run-row.ts';

const HEADINGS = ['row', 'fault', 'seed', 'rate', 'sent', 'accepted', 'refused', 'broken', 'messages', 'lost', 'twice', 'unexpected', 'dead letters', 'recovery s', 'verdict'] as const;

/** One line for each run, in columns. */
export function formatTable(results: readonly RowResult[]): string {
  const lines = [HEADINGS, ...results.map(cellsOf)].map((cells) => cells.map(String));
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines.map((cells) => cells.map((cell, column) => (column === 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n');
}

function cellsOf(result: RowResult): readonly (string | number)[] {
  const { row, fault, seed, rate, requests, answers, messages, lost, twice, unexpected, deadLetters, violations } = result;
  return [row, fault, seed, Math.round(rate), requests, answers['200'], answers['503'], answers.other, messages, lost, twice, unexpected, deadLetters, slowest(result), violations.length === 0 ? 'ok' : 'FAILED'];
}

/** The recovery that came closest to its bound, in seconds. */
function slowest({ recoveries }: RowResult): string {
  const [first] = recoveries.toSorted((a, b) => nearness(b) - nearness(a));
  if (first === undefined) return '-';
  return first.ms === null ? 'never' : (first.ms / 1000).toFixed(1);
}

function nearness({ ms, cpuWaitMs, msMax }: Recovery): number {
  return ((ms ?? Infinity) - cpuWaitMs) / msMax;
}

/** What there is to say of one run beside its line in the table. */
export function describeResult(result: RowResult): string {
  const { row, fault, seed, seconds, recoveries, notes, violations, memoryMiB } = result;
  return [
    `${row} ${fault}, seed ${seed}: ${violations.length === 0 ? 'ok' : 'FAILED'}, ${Math.round(seconds)} s`,
    ...recoveries.map(({ what, ms, cpuWaitMs }) => `    ${what}: ${ms === null ? 'never' : `${(ms / 1000).toFixed(1)} s, ${(cpuWaitMs / 1000).toFixed(1)} s of it without a CPU`}`),
    ...notes.map((note) => `    ${note}`),
    `    memory, MiB: ${Object.entries(memoryMiB).map(([name, change]) => `${name} ${change}`).join(', ')}`,
    ...violations.map(({ oracle, what }) => `  ${oracle} ${what}`),
  ].join('\n');
}
