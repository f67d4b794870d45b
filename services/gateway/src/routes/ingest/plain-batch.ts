import { LIMITS, type MessageType } from '@tidings/contracts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  NOT_PLAIN,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  isSpace,
  skipColon,
  skipSpace,
  skipString,
} from './plain-json.ts';
import { KINDS, readPlainMessage, type MessageReading } from './plain-message.ts';

/** What the gateway has to know of a batch that it passes on as it came. */
export type PlainBatch = {
  readonly messageCount: number;
  readonly kinds: readonly MessageType[];
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
  readonly firstMessageId: string;
};

const AHEAD_MS_MAX = 86_400_000;

type EnvelopeReading = MessageReading & {
  messageCount: number;
  customUserId: string | null;
  serviceUserId: string | null;
};

/**
 * Reads a batch that needs no care: valid by every rule, without a warning, so that its bytes may go on as they came.
 * It makes no value of what it reads, which would be most of the cost of a large batch. Null only means that somebody
 * has to look closer (`careful-batch.ts`); what is let through here passes there too: a property test holds it to that.
 * The bytes are valid UTF-8.
 */
export function readPlainBatch(bytes: Buffer, now: number): PlainBatch | null {
  const reading: EnvelopeReading = {
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
  if (!readEnvelope(withoutTrailingSpace(bytes), reading)) return null;
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

function readEnvelope(bytes: Buffer, reading: EnvelopeReading): boolean {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_BRACE) return false;
  do {
    const nameStart = skipSpace(bytes, at + 1);
    const nameEnd = bytes[nameStart] === QUOTE ? skipString(bytes, nameStart) : NOT_PLAIN;
    const valueStart = nameEnd === NOT_PLAIN ? NOT_PLAIN : skipColon(bytes, nameEnd);
    if (valueStart === NOT_PLAIN) return false;
    const end = readField(
      bytes,
      { name: bytes.toString('utf8', nameStart + 1, nameEnd - 1), start: valueStart },
      reading,
    );
    if (end === NOT_PLAIN) return false;
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
function readField(
  bytes: Buffer,
  { name, start }: { readonly name: string; readonly start: number },
  reading: EnvelopeReading,
): number {
  if (name === 'messages')
    return reading.messageCount === 0 ? readMessages(bytes, start, reading) : NOT_PLAIN;
  if (
    (name !== 'customUserId' && name !== 'serviceUserId') ||
    reading[name] !== null ||
    bytes[start] !== QUOTE
  )
    return NOT_PLAIN;
  const end = skipString(bytes, start);
  if (
    end === NOT_PLAIN ||
    (name === 'customUserId' && end - start - 2 > LIMITS.customUserIdCharsMax)
  )
    return NOT_PLAIN;
  reading[name] = textAt(bytes, start, end);
  return end;
}

function readMessages(bytes: Buffer, start: number, reading: EnvelopeReading): number {
  if (bytes[start] !== OPEN_BRACKET) return NOT_PLAIN;
  let at = start;
  do {
    const end = readPlainMessage(bytes, skipSpace(bytes, at + 1), reading);
    if (end === NOT_PLAIN) return NOT_PLAIN;
    reading.messageCount += 1;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACKET && reading.messageCount <= LIMITS.messagesMax
    ? at + 1
    : NOT_PLAIN;
}

/** The text of the string from its opening quote to behind its closing one. */
function textAt(bytes: Buffer, start: number, end: number): string {
  return JSON.parse(bytes.toString('utf8', start, end)) as string;
}
