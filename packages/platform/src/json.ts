/**
 * JSON whose integers keep every digit. `JSON.parse` rounds integers beyond 2^53; a reviver that looks at the source
 * text costs five times as much, so only a text with a run of 16 or more digits pays for it.
 */
const LONG_DIGITS = 16;

/** Whether `text` may hold an integer that a double cannot. Most letters are never looked at: of 16 in a row one is enough to tell. */
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

/** The parsed value; an integer outside ±2^53 is a bigint. @throws SyntaxError */
export function parseExactJson(text: string): unknown {
  return needsExactParse(text) ? parseEveryDigit(text) : JSON.parse(text);
}

/** For a text of which `needsExactParse` has said so. @throws SyntaxError */
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

/** JSON text with bigints written as the integers they are; `indent` spaces a level, for people. */
export function stringifyExactJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // A replacer, which is called for every value, is only for those that hold a bigint.
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
 * The parsed value with lone surrogates in its strings and keys replaced by U+FFFD; the very same value when `text`,
 * from which it was parsed, has none. They can only be written as escapes. The caller has bounded the depth.
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
