import { AppError, type TlsReader } from '@tidings/platform';
import compression from 'compression';
import express, { type Express } from 'express';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { onlyReads, pageSecurity, strictTransport, type Directives } from './page-security.ts';

/** Where the build of the pages lies. */
export const PAGES_DIR = fileURLToPath(new URL('../../../../web/dist', import.meta.url));

/** Nothing inside a page runs or styles it, nothing comes from elsewhere, and nobody frames it. */
const PAGE_POLICY: Directives = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'connect-src': ["'self'"],
  'frame-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
  'form-action': ["'self'"],
};

/**
 * The document that messages are shown in, inside a page of ours: it runs nothing and has no way out, but a message's own
 * styles and pictures show. A frame without a file of its own would have the page's policy, and show mails bare.
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
 * The pages below `/dashboard`, as they were built: files with a hash in their name for ever, and for any other address the
 * one page that draws them all, asked for anew each time.
 */
export function servePages(
  app: Express,
  { pagesDir, isTls }: { readonly pagesDir: string; readonly isTls: TlsReader },
): void {
  app.use(
    '/dashboard',
    // Nothing here is secret, so that its length may tell what is in it.
    compression(),
    (req, res, next) => (req.path === PREVIEW ? previewHeaders : pageHeaders)(req, res, next),
    strictTransport(isTls),
    onlyReads,
    (_req, _res, next) => {
      if (!existsSync(join(pagesDir, 'index.html')))
        throw new AppError(
          'not_found',
          'The pages of the dashboard were not built: run `npm start` or `npm test` in a checkout, or use the image.',
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
      // A part of an older build, asked for by a page that is still open: the page there would be read as a script.
      if (req.path.startsWith('/assets/'))
        throw new AppError(
          'not_found',
          'This build of the pages has no such file. Load the page again.',
        );
      res.setHeader('Cache-Control', 'no-cache');
      res.sendFile(join(pagesDir, 'index.html'), { cacheControl: false, dotfiles: 'allow' });
    },
  );
}
