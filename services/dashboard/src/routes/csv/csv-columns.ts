import { stringifyExactJson } from '@tidings/platform';

/** A column: its name, and where its value is in an item. */
export type Column = { readonly name: string; readonly path: readonly string[] };

type Schema = {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, object>>;
  readonly anyOf?: readonly object[];
};

/** The columns of items of a schema: each field, those of an object by themselves (`counts.sent`); of alternatives those of all. */
export function columnsOf(schema: object | undefined, path: readonly string[] = []): Column[] {
  const { properties, anyOf } = (schema ?? {}) as Schema;
  const all =
    anyOf?.flatMap((alternative) => columnsOf(alternative, path)) ??
    Object.entries(properties ?? {}).flatMap(([name, field]) => {
      const own = columnsOf(field, [...path, name]);
      return own.length > 0 ? own : [{ name: [...path, name].join('.'), path: [...path, name] }];
    });
  return [...new Map(all.map((column) => [column.name, column])).values()];
}

/** The cells of an item. */
export function cellsOf(item: unknown, columns: readonly Column[]): unknown[] {
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
