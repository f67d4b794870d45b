import type { MessageType } from '@tidings/contracts/ingest/ingest';
import { isEmptyUuid, isSuspiciousId } from '@tidings/contracts/ingest/suspicious-ids';
import { LIMITS } from '@tidings/contracts/limits';
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

/** The facts about a batch that is forwarded unparsed. */
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
 * Scans a batch that is valid by every rule and has no warnings, so its bytes can be forwarded.
 * Creates no values of its content. Null means that `parse-batch.ts` must check the batch. A
 * property test checks that the parser accepts every batch that this scan accepts. The bytes must
 * be valid UTF-8.
 */
export function scanBatch(bytes: Buffer, now: number): ScannedBatch | null {
  const scan: EnvelopeScan = {
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
  if (!scanEnvelope(withoutTrailingSpace(bytes), scan)) return null;
  const { messageCount, customUserId, serviceUserId, kindBits } = scan;
  const kinds = KINDS.filter(({ bit }) => (kindBits & bit) !== 0).map(({ type }) => type);
  const needsUser = kinds.some((kind) => kind !== 'businessEvent');
  if (messageCount === 0 || (needsUser && customUserId === null && serviceUserId === null))
    return null;
  if (customUserId !== null && isSuspiciousId(customUserId)) return null;
  if (serviceUserId !== null && isEmptyUuid(serviceUserId.toLowerCase())) return null;
  return {
    messageCount,
    kinds,
    customUserId,
    serviceUserId,
    firstMessageId: textAt(bytes, scan.firstIdStart, scan.firstIdEnd),
  };
}

function scanEnvelope(bytes: Buffer, scan: EnvelopeScan): boolean {
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
      scan,
    );
    if (end === NEEDS_PARSE) return false;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACE && at === bytes.length - 1;
}

/**
 * Removes trailing white space, so the last byte closes the body and no step needs a bounds check.
 */
function withoutTrailingSpace(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && isSpace(bytes[end - 1])) end -= 1;
  return end === bytes.length ? bytes : bytes.subarray(0, end);
}

/** Scans the value of an envelope field. A duplicate or unknown field needs a parse. */
function scanField(
  bytes: Buffer,
  { name, start }: { readonly name: string; readonly start: number },
  scan: EnvelopeScan,
): number {
  if (name === 'messages')
    return scan.messageCount === 0 ? scanMessages(bytes, start, scan) : NEEDS_PARSE;
  if (
    (name !== 'customUserId' && name !== 'serviceUserId') ||
    scan[name] !== null ||
    bytes[start] !== QUOTE
  )
    return NEEDS_PARSE;
  const end = skipString(bytes, start);
  if (
    end === NEEDS_PARSE ||
    (name === 'customUserId' && end - start - 2 > LIMITS.customUserIdCharsMax)
  )
    return NEEDS_PARSE;
  scan[name] = textAt(bytes, start, end);
  return end;
}

function scanMessages(bytes: Buffer, start: number, scan: EnvelopeScan): number {
  if (bytes[start] !== OPEN_BRACKET) return NEEDS_PARSE;
  let at = start;
  do {
    const end = scanMessage(bytes, skipSpace(bytes, at + 1), scan);
    if (end === NEEDS_PARSE) return NEEDS_PARSE;
    scan.messageCount += 1;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACKET && scan.messageCount <= LIMITS.messagesMax
    ? at + 1
    : NEEDS_PARSE;
}

/** Decodes the string whose quotes are at `start` and `end - 1`. */
function textAt(bytes: Buffer, start: number, end: number): string {
  return JSON.parse(bytes.toString('utf8', start, end)) as string;
}
