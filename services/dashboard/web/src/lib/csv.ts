import { formatJson } from './exact-json.ts';

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One cell by RFC 4180; a text that a spreadsheet would run gets an apostrophe before it. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : formatJson(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A document of rows with a line of names before them; columns are those of all rows, in the order they come up. */
export function toCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names.map(csvCell), ...rows.map((row) => names.map((name) => csvCell(row[name])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}
