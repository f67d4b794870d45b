import type { RowResult } from './run-row.ts';

const HEADINGS = ['row', 'fault', 'seed', 'requests', '200', '503', 'other', 'messages', 'lost', 'twice', 'unexpected', 'dead letters', 'recovery s', 'verdict'] as const;

/** One line for each run, in columns. */
export function formatTable(results: readonly RowResult[]): string {
  const lines = [HEADINGS, ...results.map(cellsOf)].map((cells) => cells.map(String));
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines.map((cells) => cells.map((cell, column) => (column === 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n');
}

function cellsOf(result: RowResult): readonly (string | number)[] {
  const { row, fault, seed, requests, answers, messages, lost, twice, unexpected, deadLetters, violations } = result;
  return [row, fault, seed, requests, answers['200'], answers['503'], answers.other, messages, lost, twice, unexpected, deadLetters, slowest(result), violations.length === 0 ? 'ok' : 'FAILED'];
}

/** The recovery that came closest to its bound, in seconds. */
function slowest({ recoveries }: RowResult): string {
  const [first] = recoveries.toSorted((a, b) => (b.ms ?? Infinity) / b.msMax - (a.ms ?? Infinity) / a.msMax);
  if (first === undefined) return '-';
  return first.ms === null ? 'never' : (first.ms / 1000).toFixed(1);
}

/** What there is to say of one run beside its line in the table. */
export function describeResult(result: RowResult): string {
  const { row, fault, seed, recoveries, violations, memoryMiB } = result;
  return [
    `${row} ${fault}, seed ${seed}: ${violations.length === 0 ? 'ok' : 'FAILED'}`,
    ...recoveries.map(({ what, ms }) => `    ${what}: ${ms === null ? 'never' : `${(ms / 1000).toFixed(1)} s`}`),
    `    memory, MiB: ${Object.entries(memoryMiB).map(([name, change]) => `${name} ${change}`).join(', ')}`,
    ...violations.map(({ oracle, what }) => `  ${oracle} ${what}`),
  ].join('\n');
}
