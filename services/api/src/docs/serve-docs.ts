import type { TlsReader } from '@tidings/http/client-address';
import { AppError } from '@tidings/platform';
import compression from 'compression';
import express, { type Express, type RequestHandler } from 'express';
import { fileURLToPath } from 'node:url';
import { onlyReads, pageSecurity, strictTransport } from '../pages/page-security.ts';
import { docsPages } from './docs-pages.ts';
import { DOCUMENTS_DIR, PICTURE, readGuides } from './guides.ts';
import type { OpenApi } from './openapi-types.ts';

const ASSETS_DIR = fileURLToPath(new URL('assets', import.meta.url));

/** Nothing comes from another host, and the pages call nothing. */
const security = pageSecurity({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
  'form-action': ["'none'"],
});

/**
 * The API reference below `/docs`, made from the OpenAPI document, and the documents of the repository. A page is rendered
 * when it is first asked for, and kept.
 */
export function serveDocs(
  app: Express,
  {
    readDocument,
    baseUrl,
    isTls,
    documentsDir = DOCUMENTS_DIR,
  }: {
    /** Called at the first request. */
    readonly readDocument: () => OpenApi;
    /** Shown in the samples. */
    readonly baseUrl: string;
    readonly isTls: TlsReader;
    readonly documentsDir?: string;
  },
): void {
  const guides = readGuides(documentsDir);
  let pages: ReturnType<typeof docsPages> | undefined;
  const rendered = new Map<string, string>();
  const router = express.Router();
  router.use(compression(), security, strictTransport(isTls), onlyReads, (req, res, next) => {
    res.setHeader('Cache-Control', 'no-cache');
    const path = req.path.replaceAll(/^\/|\/$/g, '');
    pages ??= docsPages(readDocument(), { guides, baseUrl });
    const render = pages.get(path);
    if (render === undefined) return next();
    const text = rendered.get(path) ?? render();
    rendered.set(path, text);
    res.type('html').send(text);
  });
  router.use('/assets', serveFiles(ASSETS_DIR));
  const pictures = serveFiles(documentsDir);
  router.use((req, res, next) => (PICTURE.test(req.path) ? pictures(req, res, next) : next()));
  router.use(() => {
    throw new AppError('not_found', 'There is no such page. /docs lists all of them.');
  });
  app.use('/docs', router);
}

function serveFiles(dir: string): RequestHandler {
  return express.static(dir, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    cacheControl: false,
  });
}
