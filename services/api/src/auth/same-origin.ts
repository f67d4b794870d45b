import { AppError } from '@tidings/platform';
import type { Request } from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a page proves that it can read our answers by. It follows from the session's token, which scripts never see, and tells nothing of it. */
export function createCsrfToken(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('csrf').digest('base64url');
}

const REJECTED = 'Send X-CSRF-Token, as GET /api/v1/session says it, from a page of the dashboard.';

/** What comes with a cookie and changes something must come from a page of ours, which knows the token. @throws AppError `csrf_rejected` */
export function checkCsrf(req: Request, sessionToken: string): void {
  const given = Buffer.from(String(req.headers['x-csrf-token'] ?? ''));
  const right = Buffer.from(createCsrfToken(sessionToken));
  const isRight = given.length === right.length && timingSafeEqual(given, right);
  if (!isRight || classifyOrigin(req) !== 'same') throw new AppError('csrf_rejected', REJECTED);
}

/** Signing in needs no session, but nobody else's page may sign a browser in, as somebody of its choice. @throws AppError `csrf_rejected` */
export function rejectCrossSite(req: Request): void {
  if (classifyOrigin(req) === 'other')
    throw new AppError('csrf_rejected', 'Sign in on the pages of the dashboard.');
}

/** Whether a page of ours sent this, as the browser says, which no page can make it say. */
export function isFromOwnPage(req: Request): boolean {
  return classifyOrigin(req) === 'same';
}

/** Programs that are no browsers say nothing of where they come from. */
function classifyOrigin(req: Request): 'same' | 'other' | 'untold' {
  const { 'sec-fetch-site': site, origin, host } = req.headers;
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other';
  if (origin === undefined) return 'untold';
  return URL.parse(origin)?.host === host?.toLowerCase() ? 'same' : 'other';
}
