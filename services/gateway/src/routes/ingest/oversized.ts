import { LIMITS, type FieldError } from '@tidings/contracts';
import { longNumbersIn, needsExactParse, type Span } from '@tidings/platform';
import type { BatchOutline } from './batch-outline.ts';

/** The shortest text that could hold a message over a limit: a key takes 5 characters, with its value and a comma. */
const TEXT_CHARS_MIN = Math.min(LIMITS.messageBytesMax / 5, LIMITS.messageKeysMax * 4);

/**
 * The messages that are too large, with their fault. Nobody looks into them any further: what could be in them would
 * cost more to describe than the whole rest of the body.
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
  // Of more messages than are allowed nobody looks at the digits.
  const spans =
    messages.length <= LIMITS.messagesMax && needsExactParse(text) ? outline().messages : [];
  for (const [index, message] of messages.entries()) {
    const span = spans[index];
    const fault = sizeFaultOf(message, span === undefined ? 0 : roundedChars(text, span));
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

/** What the integers of a message have more digits than what `JSON.parse` has made of them. */
function roundedChars(text: string, span: Span): number {
  let chars = 0;
  for (const literal of longNumbersIn(text, span))
    if (INTEGER.test(literal)) chars += literal.length - String(Number(literal)).length;
  return chars;
}

/** Counts keys, and bytes as compact JSON with escapes as what they stand for, and stops where either is too many. Without recursion. */
function sizeFaultOf(
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
      // Brackets, commas, and at least a character for each item.
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
