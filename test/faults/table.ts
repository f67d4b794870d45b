import type { Recovery } from './fault-row.ts';
import type { RowResult } from './suites/suite.ts';

/** One line for each run of one suite, in columns. */
export function formatTable(results: readonly RowResult[]): string {
  const headings = ['row', 'fault', 'seed', ...Object.keys(results[0]?.cells ?? {}), 'recovery s', 'verdict'];
  const lines = [headings, ...results.map(cellsOf)].map((cells) => cells.map(String));
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines.map((cells) => cells.map((cell, column) => (column === 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n');
}

function cellsOf(result: RowResult): readonly (string | number)[] {
  const { row, fault, seed, cells } = result;
  return [row, fault, seed, ...Object.values(cells), slowest(result), verdictOf(result)];
}

function verdictOf({ violations, isComparison }: RowResult): string {
  if (violations.length > 0) return 'FAILED';
  return isComparison ? 'compare' : 'ok';
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
    `${row} ${fault}, seed ${seed}: ${verdictOf(result)}, ${Math.round(seconds)} s`,
    ...recoveries.map(({ what, ms, cpuWaitMs }) => `    ${what}: ${ms === null ? 'never' : `${(ms / 1000).toFixed(1)} s, ${(cpuWaitMs / 1000).toFixed(1)} s of it without a CPU`}`),
    ...notes.map((note) => `    ${note}`),
    `    memory, MiB: ${Object.entries(memoryMiB).map(([name, change]) => `${name} ${change}`).join(', ')}`,
    ...violations.map(({ oracle, what }) => `  ${oracle} ${what}`),
  ].join('\n');
}
