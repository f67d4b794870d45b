import type { KeyType } from '@tidings/contracts';
import type { KeyGrant } from '@tidings/db';
import { AppError, isUuid } from '@tidings/platform';
import type { Request, RequestHandler, Response } from 'express';
import type { KeyCache } from './key-cache.ts';

const KEY_CHARS_MAX = 256;

/** The grant of an authenticated request. */
export function grantOf(res: Response): KeyGrant {
  return res.locals['grant'] as KeyGrant;
}

/**
 * Decides by the two headers alone, before the body is read. Whatever is wrong with them, the answer is one and the
 * same 403; only a valid key of the wrong type is told so.
 */
export function authenticate(keys: KeyCache, required?: KeyType): RequestHandler {
  return async (req, res, next) => {
    const grant = await findGrant(keys, req);
    if (grant === null) throw new AppError('forbidden', 'Check X-Application-Id and X-API-Key.');
    if (required !== undefined && grant.type !== required) {
      throw new AppError('client_key_forbidden', 'This address needs a Server key.');
    }
    res.locals['grant'] = grant;
    next();
  };
}

async function findGrant(keys: KeyCache, req: Request): Promise<KeyGrant | null> {
  const applicationId = req.headers['x-application-id'];
  const key = req.headers['x-api-key'];
  if (typeof applicationId !== 'string' || typeof key !== 'string') return null;
  if (!isUuid(applicationId) || key.length > KEY_CHARS_MAX) return null;
  return keys.find(applicationId.toLowerCase(), key);
}
