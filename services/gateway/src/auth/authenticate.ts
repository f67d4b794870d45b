import type { KeyGrant } from '@tidings/db';
import { isUuid, type Answer } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { KeyCache } from './key-cache.ts';

const KEY_CHARS_MAX = 256;

/** The grant of an authenticated request. */
export function grantOf(res: Answer): KeyGrant {
  return res.locals['grant'] as KeyGrant;
}

/** The same for any request: undefined when its credentials were not valid, or not looked at yet. */
export function knownGrantOf(res: Answer): KeyGrant | undefined {
  return res.locals['grant'] as KeyGrant | undefined;
}

/**
 * Decides by the two headers alone: null for whatever is wrong with them. At once where memory can tell.
 * @throws AppError `unavailable`, by the promise
 */
export function findGrant(keys: KeyCache, req: IncomingMessage): KeyGrant | null | Promise<KeyGrant | null> {
  const applicationId = namedApplicationOf(req);
  const key = req.headers['x-api-key'];
  if (applicationId === null || typeof key !== 'string' || key.length > KEY_CHARS_MAX) return null;
  return keys.find(applicationId, key);
}

/** The application that a request says it is of; null when it names none. */
export function namedApplicationOf({ headers }: IncomingMessage): string | null {
  const applicationId = headers['x-application-id'];
  return typeof applicationId === 'string' && isUuid(applicationId) ? applicationId.toLowerCase() : null;
}
