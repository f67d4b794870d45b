/**
 * Fast JSON scan. Skips JSON values in UTF-8 bytes without creating JavaScript values.
 * Each `skip` function takes the start of an item and returns the position after it, or {@link
 * NEEDS_PARSE}. That result means: not JSON, or JSON that `parse-batch.ts` must check. Examples are
 * U+0000, lone surrogates, numbers that a double may round, and too much depth.
 *
 * - Reason: `JSON.parse` and the schema check are most of the cost of a large batch. `npm run
 *   bench` measures the gateway's throughput.
 * - Guard: `parse-batch.property.test.ts` checks that every batch that the scan accepts also passes
 *   the parser with the same result.
 * - Switch off: let `readBatch` skip `scanBatch`. Every batch is then parsed; nothing else changes.
 *
 * The bytes must be valid UTF-8; the caller has checked that.
 */
export const NEEDS_PARSE = -1;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
export const MINUS = 0x2d;
export const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const LOWER_U = 0x75;
const SHORT_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const HEX_DIGITS = '0123456789abcdef';
const LITERALS = new Map(
  [true, false, null].map(
    (value) => [String(value).charCodeAt(0), Buffer.from(String(value))] as const,
  ),
);

/** A double holds every number of 15 digits exactly. */
const DIGITS_MAX = 15;

/** Counters of one message. */
export type Tally = {
  keys: number;
  /** Objects and arrays that may still be opened, in depth. */
  levels: number;
};

/** Returns the position after white space. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** The four white-space characters of JSON (RFC 8259). */
export function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Skips the string whose opening quote is at `start`. */
export function skipString(bytes: Uint8Array, start: number): number {
  const end = bytes.length;
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    // Fast exit: most bytes are above the backslash.
    if (byte > BACKSLASH) continue;
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE) return NEEDS_PARSE;
    if (byte !== BACKSLASH) continue;
    const next = skipEscape(bytes, at);
    if (next === NEEDS_PARSE) return NEEDS_PARSE;
    at = next - 1;
  }
  return NEEDS_PARSE;
}

/** Skips an escape. U+0000 and lone surrogates need a parse. */
function skipEscape(bytes: Uint8Array, start: number): number {
  const letter = bytes[start + 1] ?? 0;
  if (letter !== LOWER_U) return SHORT_ESCAPES.has(letter) ? start + 2 : NEEDS_PARSE;
  const unit = hexUnit(bytes, start + 2);
  if (unit <= 0) return NEEDS_PARSE;
  if (unit < 0xd800 || unit > 0xdfff) return start + 6;
  if (unit > 0xdbff || bytes[start + 6] !== BACKSLASH || bytes[start + 7] !== LOWER_U)
    return NEEDS_PARSE;
  const low = hexUnit(bytes, start + 8);
  return low >= 0xdc00 && low <= 0xdfff ? start + 12 : NEEDS_PARSE;
}

/** The value of four hexadecimal digits; -1 if they are not digits. */
function hexUnit(bytes: Uint8Array, start: number): number {
  let unit = 0;
  for (let at = start; at < start + 4; at += 1) {
    const digit = HEX_DIGITS.indexOf(String.fromCharCode(bytes[at] ?? 0).toLowerCase());
    if (digit === -1) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** Skips a number without an exponent and with at most 15 digits. */
export function skipNumber(bytes: Uint8Array, start: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  const afterInteger = skipDigits(bytes, first);
  if (afterInteger === first || (bytes[first] === ZERO && afterInteger > first + 1))
    return NEEDS_PARSE;
  const isFraction = bytes[afterInteger] === DOT;
  const at = isFraction ? skipDigits(bytes, afterInteger + 1) : afterInteger;
  if (isFraction && at === afterInteger + 1) return NEEDS_PARSE;
  const next = bytes[at];
  return at - first > DIGITS_MAX || next === LOWER_E || next === UPPER_E ? NEEDS_PARSE : at;
}

/** Skips digits. */
function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at += 1;
  return at;
}

/** Skips any value. */
export function skipValue(bytes: Uint8Array, start: number, tally: Tally): number {
  const byte = bytes[start] ?? 0;
  if (byte === QUOTE) return skipString(bytes, start);
  if (byte === OPEN_BRACE) return skipObject(bytes, start, tally);
  if (byte === OPEN_BRACKET) return skipArray(bytes, start, tally);
  if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return skipNumber(bytes, start);
  return skipLiteral(bytes, start, byte);
}

/** Skips an object and counts its keys; NEEDS_PARSE for any other value. */
export function skipObject(bytes: Uint8Array, start: number, tally: Tally): number {
  if (tally.levels === 0 || bytes[start] !== OPEN_BRACE) return NEEDS_PARSE;
  tally.levels -= 1;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACE) return closed(at, tally);
  for (;;) {
    at = skipKey(bytes, at);
    if (at === NEEDS_PARSE) return NEEDS_PARSE;
    tally.keys += 1;
    at = skipValue(bytes, at, tally);
    if (at === NEEDS_PARSE) return NEEDS_PARSE;
    at = skipSpace(bytes, at);
    const next = bytes[at];
    if (next === CLOSE_BRACE) return closed(at, tally);
    if (next !== COMMA) return NEEDS_PARSE;
    at = skipSpace(bytes, at + 1);
  }
}

/** Skips the key at `start`, its colon and white space. */
function skipKey(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return NEEDS_PARSE;
  const end = skipString(bytes, start);
  return end === NEEDS_PARSE ? NEEDS_PARSE : skipColon(bytes, end);
}

/** Skips a colon and the white space around it. */
export function skipColon(bytes: Uint8Array, start: number): number {
  const at = skipSpace(bytes, start);
  return bytes[at] === COLON ? skipSpace(bytes, at + 1) : NEEDS_PARSE;
}

function skipArray(bytes: Uint8Array, start: number, tally: Tally): number {
  if (tally.levels === 0) return NEEDS_PARSE;
  tally.levels -= 1;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACKET) return closed(at, tally);
  for (;;) {
    at = skipValue(bytes, at, tally);
    if (at === NEEDS_PARSE) return NEEDS_PARSE;
    at = skipSpace(bytes, at);
    const next = bytes[at];
    if (next === CLOSE_BRACKET) return closed(at, tally);
    if (next !== COMMA) return NEEDS_PARSE;
    at = skipSpace(bytes, at + 1);
  }
}

function closed(at: number, tally: Tally): number {
  tally.levels += 1;
  return at + 1;
}

function skipLiteral(bytes: Uint8Array, start: number, first: number): number {
  const literal = LITERALS.get(first);
  if (literal === undefined) return NEEDS_PARSE;
  for (let offset = 0; offset < literal.length; offset += 1)
    if (bytes[start + offset] !== literal[offset]) return NEEDS_PARSE;
  return start + literal.length;
}

/** A name in the bytes of a body. */
export type Named = { readonly name: Buffer };

/** Finds names in bytes without creating strings. */
export interface NameTable<T extends Named> {
  /** The entry whose name equals the bytes from `start` to `end`. */
  find(bytes: Uint8Array, start: number, end: number): T | undefined;
}

/** @throws Error if two names have the same hash, at module load */
export function createNameTable<T extends Named>(entries: readonly T[]): NameTable<T> {
  const byHash = new Map(
    entries.map((entry) => [hashBytes(entry.name, 0, entry.name.length), entry]),
  );
  if (byHash.size < entries.length) throw new Error('two names have the same hash');
  return {
    find(bytes, start, end) {
      const entry = byHash.get(hashBytes(bytes, start, end));
      return entry !== undefined &&
        entry.name.length === end - start &&
        isSame(entry.name, bytes, start)
        ? entry
        : undefined;
    },
  };
}

/**
 * A hash of the length and three characters. `createNameTable` checks that it is unique for each
 * table.
 */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length === 0) return 0;
  return (
    ((length & 0xff) << 24) |
    ((bytes[start] ?? 0) << 16) |
    ((bytes[start + (length >> 1)] ?? 0) << 8) |
    (bytes[end - 1] ?? 0)
  );
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let offset = 0; offset < name.length; offset += 1)
    if (name[offset] !== bytes[start + offset]) return false;
  return true;
}
