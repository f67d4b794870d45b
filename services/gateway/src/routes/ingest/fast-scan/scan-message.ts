import { CURRENCIES } from '@tidings/contracts/currencies';
import {
  MESSAGE_FIELDS,
  MESSAGE_TYPES,
  PROFILE_STRING_FIELDS,
  type MessageType,
} from '@tidings/contracts/ingest/ingest';
import { LIMITS } from '@tidings/contracts/limits';
import {
  CLOSE_BRACE,
  COMMA,
  DOT,
  MINUS,
  NEEDS_PARSE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipColon,
  skipNumber,
  skipObject,
  skipSpace,
  skipString,
  skipValue,
  type Tally,
  createNameTable,
} from './scan-json.ts';

/** State of the scan over the messages of a batch. */
export type MessageScan = Tally & {
  /** Later times need a warning, so they need a parse. */
  readonly latestTime: number;
  /**
   * The type of the current message, and the types of all messages so far as bits of {@link KINDS}.
   */
  kind: Kind | null;
  kindBits: number;
  /** Position of the id of the first message, including its quotes. */
  firstIdStart: number;
  firstIdEnd: number;
};

/** Scans one value. Returns the position after it, or `NEEDS_PARSE`. */
type Step = (bytes: Uint8Array, start: number, scan: MessageScan) => number;
type Field = { readonly name: Buffer; readonly bit: number; readonly step: Step };
export type Kind = {
  readonly name: Buffer;
  readonly type: MessageType;
  readonly bit: number;
  readonly allowed: number;
  readonly required: number;
};

/** Times below this may be seconds. */
const TIME_MIN = 10_000_000_000;
/** Maximum depth of a value; the message itself is the first level. */
const VALUE_LEVELS = LIMITS.messageDepthMax - 1;

const currencies = createNameTable(CURRENCIES.map((code) => ({ name: Buffer.from(code) })));

/** Bounds the bytes by the character limit: a character takes at least one byte. */
const textUpTo =
  (charsMax: number): Step =>
  (bytes, start) => {
    const end = readText(bytes, start);
    return end - start - 2 > charsMax ? NEEDS_PARSE : end;
  };

const STEPS: Readonly<Record<string, Step>> = {
  type: readType,
  id: readId,
  time: readTime,
  name: textUpTo(LIMITS.nameCharsMax),
  customName: textUpTo(LIMITS.customNameCharsMax),
  attributes: skipObject,
  revenue: skipNumber,
  currency: readCurrency,
  birthday: readInteger,
  customAttributes: readCustomAttributes,
  ...Object.fromEntries(PROFILE_STRING_FIELDS.map((field): [string, Step] => [field, readText])),
};
const FIELD_NAMES = Object.keys(STEPS);
const fields = createNameTable(
  FIELD_NAMES.map((name, index): Field => ({
    name: Buffer.from(name),
    bit: 1 << index,
    step: STEPS[name] ?? readText,
  })),
);
const toBits = (names: readonly string[]): number =>
  names.reduce((bits, name) => bits | (1 << FIELD_NAMES.indexOf(name)), 0);

const ALWAYS = ['type', 'id', 'time'];
const OWN_REQUIRED = {
  action: [],
  revenue: ['revenue', 'currency'],
  businessEvent: [],
  user: [],
} as const satisfies Record<MessageType, readonly string[]>;
const NAME = toBits(['name']);
const CUSTOM_NAME = toBits(['customName']);

/** Message types with their allowed and required fields, as bits. */
export const KINDS: readonly Kind[] = MESSAGE_TYPES.map((type, index) => ({
  name: Buffer.from(type),
  type,
  bit: 1 << index,
  allowed: toBits([...MESSAGE_FIELDS[type]].filter((name) => name in STEPS)),
  required: toBits([...ALWAYS, ...OWN_REQUIRED[type]]),
}));
const kinds = createNameTable(KINDS);

/**
 * Scans the message at `start`. Returns the position after it, or `NEEDS_PARSE` if anything in it
 * must be parsed.
 */
export function scanMessage(bytes: Uint8Array, start: number, scan: MessageScan): number {
  if (bytes[start] !== OPEN_BRACE) return NEEDS_PARSE;
  scan.keys = 0;
  scan.levels = VALUE_LEVELS;
  scan.kind = null;
  let present = 0;
  let at = start;
  do {
    const nameStart = skipSpace(bytes, at + 1);
    const nameEnd = readText(bytes, nameStart);
    if (nameEnd === NEEDS_PARSE) return NEEDS_PARSE;
    const field = fields.find(bytes, nameStart + 1, nameEnd - 1);
    if (field === undefined || (present & field.bit) !== 0) return NEEDS_PARSE;
    present |= field.bit;
    scan.keys += 1;
    const valueStart = skipColon(bytes, nameEnd);
    if (valueStart === NEEDS_PARSE) return NEEDS_PARSE;
    at = field.step(bytes, valueStart, scan);
    if (at === NEEDS_PARSE) return NEEDS_PARSE;
    at = skipSpace(bytes, at);
  } while (bytes[at] === COMMA);
  if (
    bytes[at] !== CLOSE_BRACE ||
    at - start >= LIMITS.messageBytesMax ||
    scan.keys > LIMITS.messageKeysMax
  )
    return NEEDS_PARSE;
  return isComplete(present, scan.kind) ? at + 1 : NEEDS_PARSE;
}

function isComplete(present: number, kind: Kind | null): boolean {
  if (
    kind === null ||
    (present & kind.required) !== kind.required ||
    (present & ~kind.allowed) !== 0
  )
    return false;
  if (kind.type === 'user') return true;
  return ((present & NAME) !== 0) !== ((present & CUSTOM_NAME) !== 0);
}

function readText(bytes: Uint8Array, start: number): number {
  return bytes[start] === QUOTE ? skipString(bytes, start) : NEEDS_PARSE;
}

function readType(bytes: Uint8Array, start: number, scan: MessageScan): number {
  const end = readText(bytes, start);
  const kind = end === NEEDS_PARSE ? undefined : kinds.find(bytes, start + 1, end - 1);
  if (kind === undefined) return NEEDS_PARSE;
  scan.kind = kind;
  scan.kindBits |= kind.bit;
  return end;
}

function readId(bytes: Uint8Array, start: number, scan: MessageScan): number {
  const end = readText(bytes, start);
  const length = end - start - 2;
  if (length < 1 || length > LIMITS.messageIdCharsMax) return NEEDS_PARSE;
  if (scan.firstIdEnd === 0) {
    scan.firstIdStart = start;
    scan.firstIdEnd = end;
  }
  return end;
}

/** Scans a plausible time in milliseconds. */
function readTime(bytes: Uint8Array, start: number, scan: MessageScan): number {
  const end = readInteger(bytes, start);
  if (end === NEEDS_PARSE || bytes[start] === MINUS) return NEEDS_PARSE;
  let time = 0;
  for (let at = start; at < end; at += 1) time = time * 10 + (bytes[at] ?? 0) - ZERO;
  return time < TIME_MIN || time > scan.latestTime ? NEEDS_PARSE : end;
}

const ZERO = 0x30;

function readInteger(bytes: Uint8Array, start: number): number {
  const end = skipNumber(bytes, start);
  for (let at = start; at < end; at += 1) if (bytes[at] === DOT) return NEEDS_PARSE;
  return end;
}

function readCurrency(bytes: Uint8Array, start: number): number {
  const end = readText(bytes, start);
  return end !== NEEDS_PARSE && currencies.find(bytes, start + 1, end - 1) !== undefined
    ? end
    : NEEDS_PARSE;
}

/** Scans an object without arrays at its top level. */
function readCustomAttributes(bytes: Uint8Array, start: number, scan: MessageScan): number {
  const end = skipObject(bytes, start, scan);
  if (end === NEEDS_PARSE) return NEEDS_PARSE;
  return holdsArray(bytes, start, scan) ? NEEDS_PARSE : end;
}

function holdsArray(bytes: Uint8Array, start: number, scan: MessageScan): boolean {
  // The object was skipped once already, so it is well formed.
  const { keys } = scan;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const value = skipColon(bytes, skipString(bytes, at));
    if (bytes[value] === OPEN_BRACKET) return true;
    at = skipSpace(bytes, skipValue(bytes, value, scan));
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  scan.keys = keys;
  return false;
}
