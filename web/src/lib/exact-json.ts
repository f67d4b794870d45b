const MAYBE_LONG = /\d{16}/;

/** Parses JSON with integers beyond 2^53 as bigints: a `time` can be any 64-bit integer, and every digit is shown. */
export function parseExactJson(text: string): unknown {
  if (!MAYBE_LONG.test(text)) return JSON.parse(text);
  return (JSON.parse as ParseWithSource)(text, (_key, value, context) => {
    if (
      typeof value !== 'number' ||
      Number.isSafeInteger(value) ||
      !/^-?\d+$/.test(context?.source ?? '')
    )
      return value;
    return BigInt(context?.source ?? value);
  });
}
/** TypeScript does not know the third argument yet. Browsers without it lose the last digits of such integers. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown;

/** Writes bigints as plain digits. Only `parseExactJson` creates them, in browsers that support `JSON.rawJSON` too. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(each)) : each,
  );
}
type RawJson = { rawJSON(text: string): unknown };

/** Formats a value as indented JSON, with bigints as plain digits. */
export function formatJson(value: unknown, indent = 0): string {
  const pad = '  '.repeat(indent + 1);
  const end = '  '.repeat(indent);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((each) => pad + formatJson(each, indent + 1)).join(',\n')}\n${end}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    return entries.length === 0
      ? '{}'
      : `{\n${entries.map(([key, each]) => `${pad}${JSON.stringify(key)}: ${formatJson(each, indent + 1)}`).join(',\n')}\n${end}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
