import type { KeyGrant } from '@tidings/accounts/api-keys';
import { requestValue, type Answer } from '@tidings/http/request-value';
import { isUuid } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { KeyCache } from './key-cache.ts';

const KEY_CHARS_MAX = 256;

const grant = requestValue<KeyGrant>('grant');

/** The credentials of a request as sent, unchecked. */
export type Credentials = { readonly applicationId: unknown; readonly key: unknown };

/** Reads the credential headers. Browser SDK requests that cannot set headers use another way. */
export function readCredentials({ headers }: IncomingMessage): Credentials {
  return { applicationId: headers['x-application-id'], key: headers['x-api-key'] };
}

/** Stores the grant of a request with valid credentials. */
export function noteGrant(res: Pick<Answer, 'locals'>, found: KeyGrant): void {
  grant.set(res, found);
}

/** The grant of an authenticated request. */
export function grantOf(res: Pick<Answer, 'locals'>): KeyGrant {
  return grant.of(res);
}

/** Like `grantOf`, for any request: undefined if the credentials are invalid or not checked yet. */
export function knownGrantOf(res: Pick<Answer, 'locals'>): KeyGrant | undefined {
  return grant.find(res);
}

/**
 * Finds the grant of the credentials; null if anything about them is wrong. Synchronous if the
 * cache can answer.
 * @throws AppError `unavailable`, by the promise
 */
export function findGrant(
  keys: KeyCache,
  credentials: Credentials,
): KeyGrant | null | Promise<KeyGrant | null> {
  const applicationId = readApplicationId(credentials);
  const { key } = credentials;
  if (applicationId === null || typeof key !== 'string' || key.length > KEY_CHARS_MAX) return null;
  return keys.find(applicationId, key);
}

/** The application that the request names; null if it names none. */
export function readApplicationId({ applicationId }: Credentials): string | null {
  return typeof applicationId === 'string' && isUuid(applicationId)
    ? applicationId.toLowerCase()
    : null;
}
