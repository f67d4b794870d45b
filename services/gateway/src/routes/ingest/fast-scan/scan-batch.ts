import { LIMITS, type MessageType } from '@tidings/contracts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  NEEDS_PARSE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  isSpace,
  skipColon,
  skipSpace,
  skipString,
} from './scan-json.ts';
import { KINDS, scanMessage, type MessageScan } from './scan-message.ts';

/** What the gateway has to know of a batch that it passes on as it came. */
export type ScannedBatch = {
  readonly messageCount: number;
  readonly kinds: readonly MessageType[];
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
  readonly firstMessageId: string;
};

const AHEAD_MS_MAX = 86_400_000;

type EnvelopeScan = MessageScan & {
  messageCount: number;
  customUserId: string | null;
  serviceUserId: string | null;
};

/**
 * Reads a batch that needs no care: valid by every rule, without a warning, so that its bytes may go on as they came.
 * It makes no value of what it reads, which would be most of the cost of a large batch. Null only means that somebody
 * has to look closer (`parse-batch.ts`); what is let through here passes there too: a property test holds it to that.
 * The bytes are valid UTF-8.
 */
export function scanBatch(bytes: Buffer, now: number): ScannedBatch | null {
  const reading: EnvelopeScan = {
    latestTime: now + AHEAD_MS_MAX,
    kind: null,
    kindBits: 0,
    keys: 0,
    levels: 0,
    firstIdStart: 0,
    firstIdEnd: 0,
    messageCount: 0,
    customUserId: null,
    serviceUserId: null,
  };
  if (!scanEnvelope(withoutTrailingSpace(bytes), reading)) return null;
  const { messageCount, customUserId, serviceUserId, kindBits } = reading;
  const kinds = KINDS.filter(({ bit }) => (kindBits & bit) !== 0).map(({ type }) => type);
  const needsUser = kinds.some((kind) => kind !== 'businessEvent');
  if (messageCount === 0 || (needsUser && customUserId === null && serviceUserId === null))
    return null;
  return {
    messageCount,
    kinds,
    customUserId,
    serviceUserId,
    firstMessageId: textAt(bytes, reading.firstIdStart, reading.firstIdEnd),
  };
}

function scanEnvelope(bytes: Buffer, reading: EnvelopeScan): boolean {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_BRACE) return false;
  do {
    const nameStart = skipSpace(bytes, at + 1);
    const nameEnd = bytes[nameStart] === QUOTE ? skipString(bytes, nameStart) : NEEDS_PARSE;
    const valueStart = nameEnd === NEEDS_PARSE ? NEEDS_PARSE : skipColon(bytes, nameEnd);
    if (valueStart === NEEDS_PARSE) return false;
    const end = scanField(
      bytes,
      { name: bytes.toString('utf8', nameStart + 1, nameEnd - 1), start: valueStart },
      reading,
    );
    if (end === NEEDS_PARSE) return false;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACE && at === bytes.length - 1;
}

/** So that the last byte closes the body, and no step has to ask whether there is another one. */
function withoutTrailingSpace(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && isSpace(bytes[end - 1])) end -= 1;
  return end === bytes.length ? bytes : bytes.subarray(0, end);
}

/** Behind the value of an envelope's field; a field that comes twice, or that nobody knows, gets a closer look. */
function scanField(
  bytes: Buffer,
  { name, start }: { readonly name: string; readonly start: number },
  reading: EnvelopeScan,
): number {
  if (name === 'messages')
    return reading.messageCount === 0 ? scanMessages(bytes, start, reading) : NEEDS_PARSE;
  if (
    (name !== 'customUserId' && name !== 'serviceUserId') ||
    reading[name] !== null ||
    bytes[start] !== QUOTE
  )
    return NEEDS_PARSE;
  const end = skipString(bytes, start);
  if (
    end === NEEDS_PARSE ||
    (name === 'customUserId' && end - start - 2 > LIMITS.customUserIdCharsMax)
  )
    return NEEDS_PARSE;
  reading[name] = textAt(bytes, start, end);
  return end;
}

function scanMessages(bytes: Buffer, start: number, reading: EnvelopeScan): number {
  if (bytes[start] !== OPEN_BRACKET) return NEEDS_PARSE;
  let at = start;
  do {
    const end = scanMessage(bytes, skipSpace(bytes, at + 1), reading);
    if (end === NEEDS_PARSE) return NEEDS_PARSE;
    reading.messageCount += 1;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACKET && reading.messageCount <= LIMITS.messagesMax
    ? at + 1
    : NEEDS_PARSE;
}

/** The text of the string from its opening quote to behind its closing one. */
function textAt(bytes: Buffer, start: number, end: number): string {
  return JSON.parse(bytes.toString('utf8', start, end)) as string;
}
