/**
 * JSON with exact integers. `JSON.parse` rounds integers beyond 2^53. A reviver that reads the
 * source text costs five times as much, so it runs only for a text with 16 or more digits in a row.
 */
const LONG_DIGITS = 16;

/**
 * Whether `text` may contain an integer that a double cannot hold. Checks one of every 16
 * characters: a run of 16 digits covers one of them.
 */
export function needsExactParse(text: string): boolean {
  let run = 0;
  for (let last = LONG_DIGITS - 1; last < text.length; last += LONG_DIGITS - run) {
    run = 0;
    while (run < LONG_DIGITS && isDigit(text.charCodeAt(last - run))) run += 1;
    if (run === LONG_DIGITS) return true;
  }
  return false;
}

function isDigit(letter: number): boolean {
  return letter >= 0x30 && letter <= 0x39;
}

/** Parses JSON; integers beyond ±2^53 become bigints. @throws SyntaxError */
export function parseExactJson(text: string): unknown {
  return needsExactParse(text) ? parseEveryDigit(text) : JSON.parse(text);
}

/** Parses a text for which `needsExactParse` is true. @throws SyntaxError */
export function parseEveryDigit(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, context: { readonly source?: string }) =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    !Number.isSafeInteger(value) &&
    /^-?\d+$/.test(context.source ?? '')
      ? BigInt(context.source ?? '')
      : value) as (key: string, value: unknown) => unknown);
}

declare global {
  interface JSON {
    /** ECMAScript "JSON.parse source text access": a value that is written as `text`, digit by digit. */
    rawJSON(text: string): unknown;
  }
}

/** JSON text with bigints written as integers. `indent` is the number of spaces per level. */
export function stringifyExactJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // A replacer is called for every value, so it runs only for values with a bigint.
    return stringifyEveryDigit(value, indent);
  }
}

function stringifyEveryDigit(value: unknown, indent: number | undefined): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item),
    indent,
  );
}

/**
 * Replaces lone surrogates in strings and keys with U+FFFD. Returns the same value if `text`, its
 * source, has none: JSON can write them only as escapes. The caller has bounded the depth.
 */
export function toWellFormed<T>(value: T, text: string): T {
  return /\\u[dD][89a-fA-F]/.test(text) ? (cleaned(value) as T) : value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) copy[key.toWellFormed()] = cleaned(item);
  return copy;
}
