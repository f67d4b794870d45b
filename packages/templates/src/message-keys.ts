import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { childPointer } from '@tidings/validation/child-pointer';

/**
 * Faults of objects with too many keys: their schema counts those of the first level only. `message`
 * has the fields of its channel.
 */
export function findKeyFaults(message: object, pointer: string): FieldError[] {
  return Object.entries(message)
    .filter(([, value]) => !Array.isArray(value) && hasTooManyKeys(value))
    .map(([field]) => ({
      pointer: childPointer(pointer, field),
      code: 'too_many',
      expected: `at most ${LIMITS.messageKeysMax} keys, with those of objects within it`,
    }));
}

/** Stops at the limit, and at what is too deep, which is a fault of its own. */
function hasTooManyKeys(root: unknown): boolean {
  let keys = 0;
  let values: readonly unknown[] = [root];
  for (let level = 1; level <= LIMITS.messageDepthMax && values.length > 0; level += 1) {
    const children: unknown[] = [];
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue;
      if (!Array.isArray(value)) keys += Object.keys(value).length;
      if (keys > LIMITS.messageKeysMax) return true;
      for (const child of Object.values(value)) children.push(child);
    }
    values = children;
  }
  return false;
}
