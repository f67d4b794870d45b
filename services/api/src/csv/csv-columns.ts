import type { Column } from '@tidings/api-spec/lists';
import { stringifyExactJson } from '@tidings/platform';

/** The cells of an item, in column order. */
export function readCells(item: unknown, columns: readonly Column[]): unknown[] {
  return columns.map(({ path }) =>
    path.reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name],
      item,
    ),
  );
}

/** A CSV line (RFC 4180). */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/**
 * Cell starts that spreadsheets interpret as formulas (OWASP, CSV injection), full-width variants
 * included.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** A phone number in E.164: a formula of nothing, which programs read in again. */
const PLUS_AND_DIGITS = /^\+\d+$/;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  const text = typeof value === 'string' ? value : stringifyExactJson(value);
  // The apostrophe marks text in spreadsheets, which do not show it.
  const harmless = FORMULA.test(text) && !PLUS_AND_DIGITS.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(harmless) || harmless !== harmless.trim()
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}
