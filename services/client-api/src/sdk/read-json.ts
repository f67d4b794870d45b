import { LIMITS } from '@tidings/contracts/limits';
import { readBody } from '@tidings/http/read-body';
import { AppError } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';

/**
 * A request without custom headers, as `navigator.sendBeacon` makes it on page unload. Credentials
 * and body are fields of the JSON body.
 */
export type Beacon = {
  readonly applicationId: unknown;
  readonly apiKey: unknown;
  readonly body: unknown;
};

/** @throws AppError 413, 415, 400 */
export async function readJson(
  req: IncomingMessage,
  noteSize: (size: number, read: number) => void,
): Promise<unknown> {
  return parse(
    await readBody(req, {
      bytesMax: LIMITS.sdkBodyBytesMax,
      types: ['application/json'],
      noteSize,
    }),
  );
}

/**
 * Reads a beacon; null if the body is not one. Browsers send `text/plain` without a preflight.
 * `application/json` causes a preflight with credentials, which fails; it is for callers that set
 * the type with `fetch`.
 */
export async function openBeacon(
  req: IncomingMessage,
  noteSize: (size: number, read: number) => void,
): Promise<Beacon | null> {
  try {
    const beacon = parse(
      await readBody(req, {
        bytesMax: LIMITS.sdkBodyBytesMax,
        types: ['text/plain', 'application/json'],
        noteSize,
      }),
    );
    return typeof beacon === 'object' && beacon !== null
      ? { applicationId: undefined, apiKey: undefined, body: undefined, ...beacon }
      : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}
