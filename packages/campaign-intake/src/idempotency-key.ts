import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { IncomingHttpHeaders } from 'node:http';

const EXPECTED = `an Idempotency-Key of 1 to ${LIMITS.idempotencyKeyCharsMax} characters`;

/**
 * The Idempotency-Key header. A fault in it has no position in the body, so its pointer is empty.
 */
export function readIdempotencyKey(headers: IncomingHttpHeaders): {
  readonly key: string | null;
  readonly faults: readonly FieldError[];
} {
  const key = headers['idempotency-key'];
  if (key === undefined) return { key: null, faults: [] };
  if (typeof key !== 'string' || key.length > LIMITS.idempotencyKeyCharsMax)
    return { key: null, faults: [{ pointer: '', code: 'too_long', expected: EXPECTED }] };
  return key === ''
    ? { key: null, faults: [{ pointer: '', code: 'empty', expected: EXPECTED }] }
    : { key, faults: [] };
}
