import type { Column } from '@tidings/api-spec/lists';
import { stringifyExactJson } from '@tidings/platform';

/** The cells of an item. */
export function readCells(item: unknown, columns: readonly Column[]): unknown[] {
  return columns.map(({ path }) =>
    path.reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name],
      item,
    ),
  );
}

/** One line as RFC 4180 has it. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** What a spreadsheet takes for a formula when a cell begins with it (OWASP, CSV injection), in full width too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  const text = typeof value === 'string' ? value : stringifyExactJson(value);
  // An apostrophe says that the rest is text; spreadsheets do not show it.
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(harmless) || harmless !== harmless.trim()
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}
