import { LIMITS } from '@tidings/contracts';
import { AppError, readBody } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';

/**
 * A call that cannot set headers, as `navigator.sendBeacon` makes it when a page goes away: the credentials stand in the
 * body, beside what the body would be otherwise.
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
 * Null for whatever is none. `text/plain` is what a browser sends without asking first; `application/json` makes it ask,
 * and a beacon then asks with cookies, which is refused: that one is for callers who set the type by `fetch`.
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
