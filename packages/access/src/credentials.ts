import type { KeyGrant } from '@tidings/accounts/api-keys';
import { isUuid, requestValue, type Answer } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { KeyCache } from './key-cache.ts';

const KEY_CHARS_MAX = 256;

const grant = requestValue<KeyGrant>('grant');

/** What a request says of itself, as it came: nothing of it has been looked at. */
export type Credentials = { readonly applicationId: unknown; readonly key: unknown };

/** Where callers put them, save those who cannot set headers. */
export function credentialsOf({ headers }: IncomingMessage): Credentials {
  return { applicationId: headers['x-application-id'], key: headers['x-api-key'] };
}

/** Notes the grant of a request whose credentials are valid. */
export function noteGrant(res: Pick<Answer, 'locals'>, found: KeyGrant): void {
  grant.set(res, found);
}

/** The grant of an authenticated request. */
export function grantOf(res: Pick<Answer, 'locals'>): KeyGrant {
  return grant.of(res);
}

/** The same for any request: undefined when its credentials were not valid, or not looked at yet. */
export function knownGrantOf(res: Pick<Answer, 'locals'>): KeyGrant | undefined {
  return grant.find(res);
}

/**
 * Decides by the credentials alone: null for whatever is wrong with them. At once where memory can tell.
 * @throws AppError `unavailable`, by the promise
 */
export function findGrant(
  keys: KeyCache,
  credentials: Credentials,
): KeyGrant | null | Promise<KeyGrant | null> {
  const applicationId = namedApplicationOf(credentials);
  const { key } = credentials;
  if (applicationId === null || typeof key !== 'string' || key.length > KEY_CHARS_MAX) return null;
  return keys.find(applicationId, key);
}

/** The application that a request says it is of; null when it names none. */
export function namedApplicationOf({ applicationId }: Credentials): string | null {
  return typeof applicationId === 'string' && isUuid(applicationId)
    ? applicationId.toLowerCase()
    : null;
}
