import { LIMITS, type FieldError } from '@tidings/contracts';
import { childPointer } from '@tidings/platform';

/** Ids are compared and indexed: nothing in them may be replaced. */
const ID_POINTERS = /^\/(customUserId|serviceUserId|messages\/\d+\/id)$/;

type Visit = { readonly value: unknown; readonly pointer: string; readonly depth: number; readonly message: number };

/**
 * What JSON allows and the stores behind do not: U+0000, lone surrogates in ids, numbers that no double can hold, depth,
 * keys and bytes per message. One walk without recursion. U+0000 and surrogates can only be written as escapes, so most
 * bodies skip looking for them.
 */
export function findHostileContent(body: unknown, text: string): FieldError[] {
  const errors: FieldError[] = [];
  const hasEscapes = text.includes('\\u');
  const keyCounts = new Map<number, number>();
  const stack: Visit[] = [{ value: body, pointer: '', depth: -2, message: -1 }];

  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { value, pointer, depth, message } = visit;
    if (hasEscapes && typeof value === 'string') checkText(value, pointer, errors);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= LIMITS.messageDepthMax) {
      errors.push({ pointer, code: 'too_deep', expected: `at most ${LIMITS.messageDepthMax} levels in a message` });
      continue;
    }
    const isArray = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      const isMessage = depth === -1 && pointer === '/messages';
      const within = isMessage ? Number(key) : message;
      if (!isArray && within >= 0) keyCounts.set(within, (keyCounts.get(within) ?? 0) + 1);
      const itemPointer = childPointer(pointer, key);
      if (item === Infinity || item === -Infinity) errors.push({ pointer: itemPointer, code: 'out_of_range', expected: 'a Double' });
      if (hasEscapes && !isArray && key.includes('\0')) errors.push({ pointer, code: 'nul_not_allowed', expected: 'keys without U+0000' });
      if (typeof item === 'object' || hasEscapes) stack.push({ value: item, pointer: itemPointer, depth: depth + 1, message: within });
    }
  }

  for (const [index, keys] of keyCounts) {
    if (keys > LIMITS.messageKeysMax) {
      errors.push({ pointer: `/messages/${index}`, code: 'too_many', expected: `at most ${LIMITS.messageKeysMax} keys in a message` });
    }
  }
  errors.push(...oversizedMessages(body, text));
  return errors;
}

function checkText(value: string, pointer: string, errors: FieldError[]): void {
  if (value.includes('\0')) errors.push({ pointer, code: 'nul_not_allowed', expected: 'text without U+0000' });
  else if (ID_POINTERS.test(pointer) && !value.isWellFormed()) {
    errors.push({ pointer, code: 'invalid_value', expected: 'text without lone surrogates' });
  }
}

/** A character takes 3 bytes at most, and no number grows as much as `1e20`, to 21 digits. */
const BYTES_PER_CHAR_MAX = 5;

function oversizedMessages(body: unknown, text: string): FieldError[] {
  if (text.length <= LIMITS.messageBytesMax / BYTES_PER_CHAR_MAX) return [];
  const messages: unknown = typeof body === 'object' && body !== null && 'messages' in body ? body.messages : undefined;
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown, index): FieldError[] =>
    bytesOf(message) > LIMITS.messageBytesMax
      ? [{ pointer: `/messages/${index}`, code: 'too_long', expected: `at most ${LIMITS.messageBytesMax} bytes in a message` }]
      : [],
  );
}

/** Bytes of the value as compact JSON, its escapes counted as what they stand for. Without recursion. */
function bytesOf(root: unknown): number {
  let bytes = 0;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') bytes += Buffer.byteLength(value) + 2;
    else if (typeof value === 'object' && value !== null) {
      if (!Array.isArray(value)) for (const key of Object.keys(value)) bytes += Buffer.byteLength(key) + 3;
      const items: readonly unknown[] = Object.values(value);
      for (const item of items) stack.push(item);
      // Two brackets, and commas between the items.
      bytes += 2 + Math.max(0, items.length - 1);
    } else bytes += String(value).length;
  }
  return bytes;
}
