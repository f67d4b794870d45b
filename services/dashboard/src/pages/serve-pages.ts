import { AppError, type TlsReader } from '@tidings/platform';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

/** Where the build of the pages lies. */
export const PAGES_DIR = fileURLToPath(new URL('../../web/dist', import.meta.url));

const HSTS_SECONDS = 31_536_000;

/**
 * Nothing inline, nothing of another host but pictures, which previews of messages show. What a browser makes of an
 * upgrade to https on one's own machine would break the pages there, so it is left to HSTS.
 */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:', 'https:'],
      'connect-src': ["'self'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
      'form-action': ["'self'"],
    },
  },
  // Below, over TLS alone.
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
});

/**
 * The pages below `/dashboard`, as they were built: files with a hash in their name for ever, and for any other address the
 * one page that draws them all, asked for anew each time.
 */
export function servePages(app: Express, { pagesDir, isTls }: { readonly pagesDir: string; readonly isTls: TlsReader }): void {
  const strictTransport: RequestHandler = (req, res, next) => {
    if (isTls(req)) res.setHeader('Strict-Transport-Security', `max-age=${HSTS_SECONDS}`);
    next();
  };
  const onlyRead: RequestHandler = (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed', 'Use GET, HEAD.');
    }
    next();
  };
  app.use(
    '/dashboard',
    securityHeaders,
    strictTransport,
    onlyRead,
    (_req, _res, next) => {
      if (!existsSync(join(pagesDir, 'index.html'))) throw new AppError('not_found', 'The pages of the dashboard were not built: run `npm start` or `npm test` in a checkout, or use the image.');
      next();
    },
    express.static(pagesDir, {
      index: false,
      redirect: false,
      dotfiles: 'ignore',
      setHeaders: (res, path) => res.setHeader('Cache-Control', path.startsWith(join(pagesDir, 'assets')) ? 'public, max-age=31536000, immutable' : 'no-cache'),
    }),
    (req, res) => {
      // A part of an older build, asked for by a page that is still open: the page there would be read as a script.
      if (req.path.startsWith('/assets/')) throw new AppError('not_found', 'This build of the pages has no such file. Load the page again.');
      res.setHeader('Cache-Control', 'no-cache');
      res.sendFile(join(pagesDir, 'index.html'), { cacheControl: false, dotfiles: 'allow' });
    },
  );
}
