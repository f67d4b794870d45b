import { AppError } from '@tidings/platform';
import type { Request } from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The CSRF token of a session, derived from the session token by HMAC. It does not reveal the
 * session token, which scripts cannot read.
 */
export function createCsrfToken(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('csrf').digest('base64url');
}

const REJECTED =
  'Send the header X-CSRF-Token with the csrfToken of GET /api/v1/session, from a page of the dashboard.';

/**
 * Requires the CSRF token and a same-origin request. For cookie requests that change something.
 * @throws AppError `csrf_rejected`
 */
export function checkCsrf(req: Request, sessionToken: string): void {
  const given = Buffer.from(String(req.headers['x-csrf-token'] ?? ''));
  const right = Buffer.from(createCsrfToken(sessionToken));
  const isRight = given.length === right.length && timingSafeEqual(given, right);
  if (!isRight || classifyOrigin(req) !== 'same') throw new AppError('csrf_rejected', REJECTED);
}

/**
 * Rejects sign-ins from other sites: they could sign a browser in to an account of the attacker.
 * @throws AppError `csrf_rejected`
 */
export function rejectCrossSite(req: Request): void {
  if (classifyOrigin(req) === 'other')
    throw new AppError('csrf_rejected', 'Sign in from the dashboard.');
}

/** Whether a page of the dashboard sent the request, by headers that scripts cannot set. */
export function isFromOwnPage(req: Request): boolean {
  return classifyOrigin(req) === 'same';
}

/** Clients other than browsers send no origin headers. */
function classifyOrigin(req: Request): 'same' | 'other' | 'untold' {
  const { 'sec-fetch-site': site, origin, host } = req.headers;
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other';
  if (origin === undefined) return 'untold';
  return URL.parse(origin)?.host === host?.toLowerCase() ? 'same' : 'other';
}
