import type { KeyGrant } from '@tidings/db';
import { isUuid } from '@tidings/platform';
import type { Request, Response } from 'express';
import type { KeyCache } from './key-cache.ts';

const KEY_CHARS_MAX = 256;

/** The grant of an authenticated request. */
export function grantOf(res: Response): KeyGrant {
  return res.locals['grant'] as KeyGrant;
}

/** The same for any request: undefined when its credentials were not valid, or not looked at yet. */
export function knownGrantOf(res: Response): KeyGrant | undefined {
  return res.locals['grant'] as KeyGrant | undefined;
}

/**
 * Decides by the two headers alone: null for whatever is wrong with them. At once where memory can tell.
 * @throws AppError `unavailable`, by the promise
 */
export function findGrant(keys: KeyCache, { headers }: Request): KeyGrant | null | Promise<KeyGrant | null> {
  const applicationId = headers['x-application-id'];
  const key = headers['x-api-key'];
  if (typeof applicationId !== 'string' || typeof key !== 'string') return null;
  if (!isUuid(applicationId) || key.length > KEY_CHARS_MAX) return null;
  return keys.find(applicationId.toLowerCase(), key);
}
