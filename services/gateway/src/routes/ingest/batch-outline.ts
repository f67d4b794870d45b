/** Where something stands in the text of a body. */
export type Span = { readonly start: number; readonly end: number };

/** Where the parts of a batch stand in its text. Of a field that comes twice the last counts, as for `JSON.parse`. */
export type BatchOutline = {
  /** The envelope's fields but `messages`, each from its name to the end of its value. */
  readonly fields: readonly Span[];
  readonly messages: readonly Span[];
};

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The outline of a batch that has been parsed: `text` is valid JSON, an object whose `messages` are an array. */
export function outlineBatch(text: string): BatchOutline {
  const fields: Span[] = [];
  let list = { start: 0, end: 0 };
  for (const { name, span, value } of fieldsIn(text, skipSpace(text, 0))) {
    if (name === 'messages') list = value;
    else fields.push(span);
  }
  return { fields, messages: [...itemsIn(text, list.start)] };
}

/** The text of a number field of the object at `start`; undefined where it is absent. */
export function literalAt(text: string, start: number, field: string): string | undefined {
  let literal: string | undefined;
  for (const { name, value } of fieldsIn(text, start))
    if (name === field) literal = text.slice(value.start, value.end);
  return literal;
}

/** The words of more than 15 characters in a part of the text: long numbers, since no other word is as long. */
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

function* fieldsIn(
  text: string,
  start: number,
): Generator<{ readonly name: string; readonly span: Span; readonly value: Span }> {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = skipString(text, at);
    // Behind the colon, which may have space around it.
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = skipValue(text, valueStart);
    yield {
      name: nameOf(text.slice(at, nameEnd)),
      span: { start: at, end },
      value: { start: valueStart, end },
    };
    at = skipComma(text, end);
  }
}

function* itemsIn(text: string, start: number): Generator<Span> {
  let at = skipSpace(text, start + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = skipValue(text, at);
    yield { start: at, end };
    at = skipComma(text, end);
  }
}

function nameOf(quoted: string): string {
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

/** Behind the value at `start`, without recursion and without a look at what is in it. */
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

/** Behind a number, `true`, `false` or `null`. */
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
