/**
 * Scans JSON text that `JSON.parse` accepted: finds the positions of values without creating
 * values. Used for the digits that a double rounds and for parts that are forwarded as written.
 */

/** A range of the text of a body. */
export type Span = { readonly start: number; readonly end: number };

/** A field of an object: `span` goes from its name to the end of its value. */
export type FieldSpan = { readonly name: string; readonly span: Span; readonly value: Span };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * The value of a field of the object at `start`. Of a repeated field the last counts, as in
 * `JSON.parse`.
 */
export function fieldAt(text: string, start: number, name: string): Span | undefined {
  let found: Span | undefined;
  for (const field of fieldsIn(text, start)) if (field.name === name) found = field.value;
  return found;
}

/** Number literals of more than 15 characters in a range: no other literal is that long. */
export function* longNumbersIn(text: string, { start, end }: Span): Generator<string> {
  let at = start;
  while (at < end) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) at = skipString(text, at);
    else if (isWordEnd(letter) || letter === OPEN_BRACE || letter === OPEN_BRACKET) at += 1;
    else {
      const wordStart = at;
      at = skipWord(text, at);
      if (at - wordStart > 15) yield text.slice(wordStart, at);
    }
  }
}

/** The fields of the object at `start`, which may have white space before it. */
export function* fieldsIn(text: string, start: number): Generator<FieldSpan> {
  let at = skipSpace(text, skipSpace(text, start) + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = skipString(text, at);
    // After the colon, with optional white space around it.
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = skipValue(text, valueStart);
    yield {
      name: parseName(text.slice(at, nameEnd)),
      span: { start: at, end },
      value: { start: valueStart, end },
    };
    at = skipComma(text, end);
  }
}

/** The items of the array at `start`, which may have white space before it. */
export function* itemsIn(text: string, start: number): Generator<Span> {
  let at = skipSpace(text, skipSpace(text, start) + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = skipValue(text, at);
    yield { start: at, end };
    at = skipComma(text, end);
  }
}

function parseName(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function skipComma(text: string, start: number): number {
  const at = skipSpace(text, start);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** Skips the value at `start` without recursion and without checking its content. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) at = skipString(text, at);
    else {
      if (letter === OPEN_BRACE || letter === OPEN_BRACKET) depth += 1;
      else if (letter === CLOSE_BRACE || letter === CLOSE_BRACKET) depth -= 1;
      else if (depth === 0) return skipWord(text, at);
      at += 1;
    }
  } while (depth > 0);
  return at;
}

/** Skips a number, `true`, `false` or `null`. */
function skipWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isWordEnd(text.charCodeAt(at))) at += 1;
  return at;
}

function isWordEnd(letter: number): boolean {
  return (
    letter <= 0x20 ||
    letter === COMMA ||
    letter === COLON ||
    letter === CLOSE_BRACE ||
    letter === CLOSE_BRACKET
  );
}

function skipString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
