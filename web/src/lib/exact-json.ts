const MAYBE_LONG = /\d{16}/;

/** JSON whose integers beyond 2^53 are bigints: a `time` may be any Long and is shown with every digit. */
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
/** TypeScript does not know the third argument yet; browsers without it leave it out, and the last digits with it. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown;

/** The other way: bigints as their digits. There are none but from a browser that knows the text of numbers, which can write it too. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(each)) : each,
  );
}
type RawJson = { rawJSON(text: string): unknown };

/** Indented, with bigints as plain digits. */
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
