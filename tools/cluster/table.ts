import { alignTable } from '../bench/report/table.ts';
import type { Row, RowResult } from './row.ts';

export type Result = { readonly row: Row; readonly seen: RowResult; readonly seconds: number };

export const hasFailed = ({ seen }: Result): boolean => (seen.violations ?? []).length > 0;

const decideVerdict = (result: Result): string =>
  hasFailed(result) ? 'FAILED' : result.seen.leftOut === undefined ? 'ok' : 'skipped';

/** A line per row. */
export function formatTable(results: readonly Result[]): string {
  return alignTable(
    ['row', 's', 'verdict'],
    results.map((result) => [
      `${result.row.name}: ${result.row.claim}`,
      String(Math.round(result.seconds)),
      decideVerdict(result),
    ]),
  );
}

/** Details of one row. */
export function describeResult(result: Result): string {
  const { row, seen, seconds } = result;
  return [
    `${row.name}: ${decideVerdict(result)}, ${Math.round(seconds)} s`,
    ...(seen.leftOut === undefined ? [] : [`    skipped: ${seen.leftOut}`]),
    ...(seen.notes ?? []).map((note) => `    ${note}`),
    ...(seen.violations ?? []).map((violation) => `  ! ${violation}`),
  ].join('\n');
}
