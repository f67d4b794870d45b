import { LIMITS, type FieldError } from '@tidings/contracts';
import { childPointer } from '@tidings/platform';

/** Ids are compared and indexed: nothing in them may be replaced. */
const ID_POINTERS = /^\/(customUserId|serviceUserId|messages\/\d+\/id)$/;

type Visit = { readonly value: unknown; readonly pointer: string; readonly depth: number };

/**
 * What JSON allows and the stores behind do not: U+0000, lone surrogates in ids, numbers that no double can hold, and
 * depth. One walk without recursion. U+0000 and surrogates can only be written as escapes, so most
 * bodies skip looking for them.
 */
export function findHostileContent(body: unknown, text: string): FieldError[] {
  const errors: FieldError[] = [];
  const hasEscapes = text.includes('\\u');
  const stack: Visit[] = [{ value: body, pointer: '', depth: -2 }];

  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { value, pointer, depth } = visit;
    if (hasEscapes && typeof value === 'string') checkText(value, pointer, errors);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= LIMITS.messageDepthMax) {
      errors.push({ pointer, code: 'too_deep', expected: `at most ${LIMITS.messageDepthMax} levels in a message` });
      continue;
    }
    const isArray = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      const itemPointer = childPointer(pointer, key);
      if (item === Infinity || item === -Infinity) errors.push({ pointer: itemPointer, code: 'out_of_range', expected: 'a Double' });
      if (hasEscapes && !isArray && key.includes('\0')) errors.push({ pointer, code: 'nul_not_allowed', expected: 'keys without U+0000' });
      if (typeof item === 'object' || hasEscapes) stack.push({ value: item, pointer: itemPointer, depth: depth + 1 });
    }
  }

  return errors;
}

function checkText(value: string, pointer: string, errors: FieldError[]): void {
  if (value.includes('\0')) errors.push({ pointer, code: 'nul_not_allowed', expected: 'text without U+0000' });
  else if (ID_POINTERS.test(pointer) && !value.isWellFormed()) {
    errors.push({ pointer, code: 'invalid_value', expected: 'text without lone surrogates' });
  }
}
