import { LIMITS, type FieldError } from '@tidings/contracts';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const EXPECTED = `an Idempotency-Key of 1 to ${LIMITS.idempotencyKeyCharsMax} characters`;

/** The header by which a caller marks repetitions of one request; its fault has no place in the body, so its pointer is the whole. */
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

/** What tells one body from another, byte for byte. */
export function hashOfBody(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
