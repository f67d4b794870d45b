import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { childPointer } from '@tidings/validation/child-pointer';

/**
 * Levels of JSON in a condition of the greatest depth: each condition takes two, and the steps of a
 * funnel five more.
 */
const JSON_DEPTH_MAX = 2 * LIMITS.conditionDepthMax + 8;

/** How large a JSON value may be, and how deep. */
type Bounds = {
  readonly bytesMax: number;
  readonly depthMax: number;
  readonly depthExpected: string;
};

/**
 * Checks the size and nesting of any JSON value before code that recurses reads it, and that it has
 * no integers beyond 2^53, which are bigints. Null if it may be read.
 */
export function boundsFault(
  root: unknown,
  pointer: string,
  { bytesMax, depthMax, depthExpected }: Bounds = CONDITION_BOUNDS,
): FieldError | null {
  const open: { value: unknown; pointer: string; depth: number }[] = [
    { value: root, pointer, depth: 0 },
  ];
  let bytes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    // Values of users keep all digits. A number would be compared with digits that were not written.
    if (typeof value === 'bigint')
      return { pointer: next.pointer, code: 'out_of_range', expected: INTEGER_EXPECTED };
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    bytes += 1;
    if (typeof value === 'object' && value !== null) {
      if (depth >= depthMax)
        return { pointer: next.pointer, code: 'too_deep', expected: depthExpected };
      for (const [key, item] of Object.entries(value)) {
        bytes += Buffer.byteLength(key);
        open.push({ value: item, pointer: childPointer(next.pointer, key), depth: depth + 1 });
        if (bytes > bytesMax) break;
      }
    }
    if (bytes > bytesMax)
      return { pointer, code: 'too_long', expected: `at most ${bytesMax} bytes` };
  }
  return null;
}

const INTEGER_EXPECTED = `an integer from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
export const DEPTH_EXPECTED = `at most ${LIMITS.conditionDepthMax} conditions within each other`;
const CONDITION_BOUNDS: Bounds = {
  bytesMax: LIMITS.conditionBytesMax,
  depthMax: JSON_DEPTH_MAX,
  depthExpected: DEPTH_EXPECTED,
};
