import type { TlsReader } from '@tidings/http/client-address';
import { AppError } from '@tidings/platform';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const HSTS_SECONDS = 31_536_000;

/** A Content-Security-Policy, by directive. */
export type Directives = Readonly<Record<string, readonly string[]>>;

/**
 * The security headers of a page, with this policy. It has no `upgrade-insecure-requests`: over plain HTTP on one's own
 * machine that breaks the pages, and over TLS HSTS does the same.
 */
export function pageSecurity(
  directives: Directives,
  frames: 'deny' | 'sameorigin' = 'deny',
): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: frames },
  });
}

/** HSTS, on answers over TLS alone. */
export function strictTransport(isTls: TlsReader): RequestHandler {
  return (req, res, next) => {
    if (isTls(req)) res.setHeader('Strict-Transport-Security', `max-age=${HSTS_SECONDS}`);
    next();
  };
}

/** Pages are read only: other methods are 405. */
export const onlyReads: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD');
    throw new AppError('method_not_allowed', 'Use GET, HEAD.');
  }
  next();
};
