import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { longNumbersIn, needsExactParse, type Span } from '@tidings/platform';
import type { BatchOutline } from './batch-outline.ts';

/**
 * The shortest text that can contain an oversized message: a key takes 5 characters with its value
 * and comma.
 */
const TEXT_CHARS_MIN = Math.min(LIMITS.messageBytesMax / 5, LIMITS.messageKeysMax * 4);

/**
 * Finds oversized messages. They are not checked further: describing their content could cost more
 * than the rest of the body.
 */
export function findOversized(
  body: unknown,
  text: string,
  outline: () => BatchOutline,
): ReadonlyMap<number, FieldError> {
  const faults = new Map<number, FieldError>();
  const messages: unknown =
    typeof body === 'object' && body !== null && 'messages' in body ? body.messages : undefined;
  if (text.length < TEXT_CHARS_MIN || !Array.isArray(messages)) return faults;
  // Above the message limit, digits are not checked.
  const spans =
    messages.length <= LIMITS.messagesMax && needsExactParse(text) ? outline().messages : [];
  for (const [index, message] of messages.entries()) {
    const span = spans[index];
    const fault = findSizeFault(message, span === undefined ? 0 : roundedChars(text, span));
    if (fault !== null) faults.set(index, { pointer: `/messages/${index}`, ...fault });
  }
  return faults;
}

const TOO_LONG = {
  code: 'too_long',
  expected: `at most ${LIMITS.messageBytesMax} bytes in a message`,
} as const;
const TOO_MANY = {
  code: 'too_many',
  expected: `at most ${LIMITS.messageKeysMax} keys in a message`,
} as const;

const INTEGER = /^-?\d+$/;

/** Characters that `JSON.parse` removed from the integers of a message by rounding. */
function roundedChars(text: string, span: Span): number {
  let chars = 0;
  for (const literal of longNumbersIn(text, span))
    if (INTEGER.test(literal)) chars += literal.length - String(Number(literal)).length;
  return chars;
}

/**
 * Counts keys and the bytes of compact JSON with decoded escapes. Stops at the first exceeded
 * limit. No recursion.
 */
function findSizeFault(
  message: unknown,
  moreBytes: number,
): typeof TOO_LONG | typeof TOO_MANY | null {
  let bytes = moreBytes;
  let keys = 0;
  const stack: unknown[] = [message];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') bytes += Buffer.byteLength(value) + 2;
    else if (Array.isArray(value)) {
      // Brackets, commas and at least one character per item.
      bytes += 1 + Math.max(1, value.length);
      if (bytes + value.length > LIMITS.messageBytesMax) return TOO_LONG;
      for (const item of value as readonly unknown[]) stack.push(item);
    } else if (typeof value === 'object' && value !== null) {
      const before = keys;
      for (const key in value) {
        keys += 1;
        bytes += Buffer.byteLength(key) + 3;
        if (keys > LIMITS.messageKeysMax) return TOO_MANY;
        stack.push((value as Readonly<Record<string, unknown>>)[key]);
      }
      bytes += 2 + Math.max(0, keys - before - 1);
    } else bytes += String(value).length;
    if (bytes > LIMITS.messageBytesMax) return TOO_LONG;
  }
  return null;
}
