import { asTable } from '../as-table.ts';
import type { Recovery } from './fault-row.ts';
import { judge, type Bound, type Pair } from './oracles/neighbours/comparisons.ts';
import type { RowResult } from './suites/suite.ts';

/** One line per run of a suite, or one for each figure that was compared, in columns. */
export function formatTable(results: readonly RowResult[]): string {
  if (results.some(({ compared }) => compared !== undefined)) return formatCompared(results);
  const counted = Object.keys(results.find(({ leftOut }) => leftOut === undefined)?.cells ?? {});
  const headings = ['row', 'fault', 'seed', ...counted, 'recovery s', 'verdict'];
  const lines = [headings, ...results.map((result) => listCells(result, counted))].map((cells) =>
    cells.map(String),
  );
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, column) =>
          column === 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

const VERDICTS = { ok: 'ok', busy: 'ok without waits for a CPU', failed: 'FAILED' } as const;

function formatCompared(results: readonly RowResult[]): string {
  const hasBefore = results.some(({ compared = [] }) => compared.some(({ before }) => before));
  const pair = ['alone', 'beside', 'ratio'];
  const lines = results.flatMap(({ row, fault, seed, compared = [] }) => [
    [row, `${fault}, seed ${seed}`],
    ...compared.map(({ name, bound, now, before }) => [
      '',
      `  ${name}`,
      ...(hasBefore ? describePair(before ?? { alone: undefined, beside: undefined }) : []),
      ...describePair(now),
      describeBound(bound),
      bound === null ? '' : VERDICTS[judge(now, bound)],
    ]),
  ]);
  return asTable([
    [
      'row',
      'ms',
      ...(hasBefore ? pair.map((name) => `before: ${name}`) : []),
      ...pair,
      'bound',
      'verdict',
    ],
    ...lines.map((cells) => cells.map(String)),
  ]);
}

function describePair({ alone, beside }: Pair): readonly string[] {
  const isKnown = alone !== undefined && beside !== undefined;
  return [
    describeMs(alone),
    describeMs(beside),
    isKnown && Number.isFinite(beside / alone) ? (beside / alone).toFixed(2) : '-',
  ];
}

function describeMs(ms: number | undefined): string {
  if (ms === undefined) return '-';
  return Number.isFinite(ms) ? ms.toFixed(ms < 100 ? 1 : 0) : 'never';
}

function describeBound(bound: Bound | null): string {
  if (bound === null) return '';
  const { ratio, ms } = bound;
  return [ratio === undefined ? [] : `× ${ratio}`, ms === undefined ? [] : `${ms} ms`]
    .flat()
    .join(' or ');
}

function listCells(result: RowResult, counted: readonly string[]): readonly (string | number)[] {
  const { row, fault, seed, cells } = result;
  return [
    row,
    fault,
    seed,
    ...counted.map((name) => cells[name] ?? '-'),
    slowest(result),
    decideVerdict(result),
  ];
}

function decideVerdict({ violations, isComparison, leftOut }: RowResult): string {
  if (leftOut !== undefined) return 'skipped';
  if (violations.length > 0) return 'FAILED';
  return isComparison ? 'compare' : 'ok';
}

/** The duration closest to its limit, in seconds. */
function slowest({ recoveries }: RowResult): string {
  const [first] = recoveries.toSorted((a, b) => nearness(b) - nearness(a));
  if (first === undefined) return '-';
  return first.ms === null ? 'never' : (first.ms / 1000).toFixed(1);
}

function nearness({ ms, cpuWaitMs, msMax }: Recovery): number {
  return ((ms ?? Infinity) - cpuWaitMs) / msMax;
}

/** Details of one run. */
export function describeResult(result: RowResult): string {
  const { row, fault, seed, seconds, recoveries, notes, violations, memoryMiB, leftOut } = result;
  return [
    `${row} ${fault}, seed ${seed}: ${decideVerdict(result)}, ${Math.round(seconds)} s`,
    ...recoveries.map(
      ({ what, ms, cpuWaitMs }) =>
        `    ${what}: ${ms === null ? 'never' : `${(ms / 1000).toFixed(1)} s, ${(cpuWaitMs / 1000).toFixed(1)} s of it without a CPU`}`,
    ),
    ...(leftOut === undefined ? [] : [`    skipped: ${leftOut}`]),
    ...notes.map((note) => `    ${note}`),
    ...(leftOut === undefined
      ? [
          `    memory, MiB: ${Object.entries(memoryMiB)
            .map(([name, change]) => `${name} ${change}`)
            .join(', ')}`,
        ]
      : []),
    ...violations.map(({ oracle, what }) => `  ${oracle} ${what}`),
  ].join('\n');
}
