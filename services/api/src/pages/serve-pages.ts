import type { TlsReader } from '@tidings/http/client-address';
import { AppError } from '@tidings/platform';
import compression from 'compression';
import express, { type Express } from 'express';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { onlyReads, pageSecurity, strictTransport, type Directives } from './page-security.ts';

/** The folder of the dashboard build. */
export const PAGES_DIR = fileURLToPath(new URL('../../../../web/dist', import.meta.url));

/** No inline scripts or styles, nothing from other origins, no framing. */
const PAGE_POLICY: Directives = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'frame-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
  'form-action': ["'self'"],
};

/**
 * The document that previews messages inside a dashboard page. It runs no scripts and cannot
 * navigate, but shows the message's styles and images. It needs its own file: otherwise the page's
 * policy would apply and block them.
 */
const PREVIEW = '/preview.html';
const PREVIEW_POLICY: Directives = {
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'img-src': ['https:', 'http:', 'data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'self'"],
  sandbox: ['allow-same-origin'],
};

const pageHeaders = pageSecurity(PAGE_POLICY);
const previewHeaders = pageSecurity(PREVIEW_POLICY, 'sameorigin');

/**
 * Serves the dashboard build below `/dashboard`. Files with a hash in their name are cached
 * forever. Every other path gets index.html, revalidated each time.
 */
export function servePages(
  app: Express,
  { pagesDir, isTls }: { readonly pagesDir: string; readonly isTls: TlsReader },
): void {
  app.use(
    '/dashboard',
    // Compression is safe here: responses contain no secrets that their length could reveal.
    compression(),
    (req, res, next) => (req.path === PREVIEW ? previewHeaders : pageHeaders)(req, res, next),
    strictTransport(isTls),
    onlyReads,
    (_req, _res, next) => {
      if (!existsSync(join(pagesDir, 'index.html')))
        throw new AppError(
          'not_found',
          'The dashboard is not built. Run `npm start` or `npm test` in a checkout, or use the image.',
        );
      next();
    },
    express.static(pagesDir, {
      index: false,
      redirect: false,
      dotfiles: 'ignore',
      setHeaders: (res, path) =>
        res.setHeader(
          'Cache-Control',
          path.startsWith(join(pagesDir, 'assets'))
            ? 'public, max-age=31536000, immutable'
            : 'no-cache',
        ),
    }),
    (req, res) => {
      // A file of an older build, requested by a page that is still open. Serving index.html
      // instead would be parsed as a script.
      if (req.path.startsWith('/assets/'))
        throw new AppError(
          'not_found',
          'This file belongs to another version of the dashboard. Reload the page.',
        );
      res.setHeader('Cache-Control', 'no-cache');
      res.sendFile(join(pagesDir, 'index.html'), { cacheControl: false, dotfiles: 'allow' });
    },
  );
}
