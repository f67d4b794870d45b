import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openApiDocument } from '@tidings/openapi/document';
import { createApp, finishApp } from '@tidings/http/app';
import { createTlsReader } from '@tidings/http/client-address';
import { createLogger, listen } from '@tidings/platform';
import type { ApiDependencies } from '../dependencies.ts';
import { apiRoutes } from '../server.ts';
import { docsPages } from './docs-pages.ts';
import { readGuides } from './guides.ts';
import type { OpenApi } from './openapi-types.ts';
import { listOperations } from './operation-section.ts';
import { serveDocs } from './serve-docs.ts';

const BASE_URL = 'https://tidings.example';
const document = JSON.parse(
  JSON.stringify(openApiDocument(apiRoutes({} as ApiDependencies))),
) as OpenApi;
const pages = new Map(
  [...docsPages(document, { guides: readGuides(), baseUrl: BASE_URL })].map(([path, render]) => [
    path === '' ? '/docs' : `/docs/${path}`,
    render(),
  ]),
);

let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  const app = createApp();
  serveDocs(app, {
    readDocument: () => document,
    baseUrl: BASE_URL,
    isTls: createTlsReader(['127.0.0.1']),
  });
  finishApp(app, createLogger('test', 'error', { write: () => undefined }));
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

const get = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${server.url}${path}`, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('served', () => {
  test.each(['/docs', '/docs/', '/docs/api/push', '/docs/api/push/', '/docs/webhooks'])(
    '%s is a page, asked for anew each time',
    async (path) => {
      const { status, headers, text } = await get(path);

      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(text).toMatch(/^<!doctype html>\s+<html lang="en">/);
    },
  );

  test.each([
    ['/docs/assets/docs.css', /^text\/css/],
    ['/docs/assets/docs.js', /javascript/],
  ])('%s is a file', async (path, type) => {
    const { status, headers } = await get(path);

    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(headers.get('content-type')).toMatch(type);
  });

  test('only files of its own run or style a page, and it calls nothing', async () => {
    const { headers } = await get('/docs');

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';base-uri 'none';frame-ancestors 'none';form-action 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(
      (await get('/docs', { headers: { 'X-Forwarded-Proto': 'https' } })).headers.get(
        'strict-transport-security',
      ),
    ).toBe('max-age=31536000');
  });

  test.each([
    '/docs/nothing',
    '/docs/api',
    '/docs/api/nothing',
    '/docs/assets/nothing.js',
    '/docs/assets/..%2fserve-docs.ts',
    '/docs/architecture.md',
    '/docs/..%2fREADME.md',
    '/docs/%00',
  ])('%s is 404', async (path) => {
    const { status, text } = await get(path);

    expect([status, (JSON.parse(text) as { readonly code: string }).code]).toEqual([
      404,
      'not_found',
    ]);
  });

  test('only reading: 405', async () => {
    const { status, headers } = await get('/docs', { method: 'POST' });

    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('pages are compressed', async () => {
    const { headers } = await get('/docs', { headers: { 'Accept-Encoding': 'br' } });

    expect(headers.get('content-encoding')).toBe('br');
  });
});

describe('the pages', () => {
  const idsOf = (text: string): readonly string[] =>
    [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

  test('every operation is on the page of its tag, and listed on the overview', () => {
    const operations = listOperations(document);

    expect(operations.length).toBeGreaterThan(90);
    for (const { operation } of operations) {
      const [tag = ''] = operation.tags;
      expect(idsOf(pages.get(`/docs/api/${tag}`) ?? '')).toContain(operation.operationId);
      expect(pages.get('/docs')).toContain(`href="/docs/api/${tag}#${operation.operationId}"`);
    }
  });

  test('every operation but preflights is shown: an alias beside what it names', () => {
    const shown = listOperations(document).flatMap(({ method, path, alias }) => [
      `${method} ${path}`,
      ...(alias === undefined ? [] : [`${method} ${alias}`]),
    ]);
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'options')
        .map((method) => `${method} ${path}`),
    );

    expect(shown.toSorted()).toEqual(all.toSorted());
  });

  test.each([...pages])('%s: links lead somewhere, and ids are unique', (path, text) => {
    const ids = idsOf(text);
    const dead = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^https?:|^mailto:/.test(link))
      .filter((link) => !/^\/(openapi\.json|dashboard(\/icon\.svg)?|docs\/assets\/.*)$/.test(link))
      .filter((link) => {
        const [target = '', fragment] = link.split('#');
        const page = target === '' ? text : pages.get(target);
        return page === undefined || (fragment !== undefined && !idsOf(page).includes(fragment));
      });

    expect([path, dead]).toEqual([path, []]);
    expect([path, ids.length]).toEqual([path, new Set(ids).size]);
  });

  test.each([...pages])('%s has no script, style or frame inside', (_path, text) => {
    expect(text).not.toMatch(/<script(?! src="\/docs\/)|<style|<iframe| style="| on[a-z]+="/);
    expect(text).not.toMatch(/<(?:link|script|img)[^>]*(?:https?:)?\/\//);
  });

  test.each([
    ['/docs/api/ingest', '/docs/guides/send-events'],
    ['/docs/api/push', '/docs/guides/send-a-message'],
    ['/docs/api/campaigns', '/docs/guides/send-a-message'],
    ['/docs/api/segments', '/docs/guides/segments'],
    ['/docs/api/funnels', '/docs/guides/funnels'],
    ['/docs/api/templates', '/docs/guides/templates'],
    ['/docs/api/sdk', '/docs/guides/browser-sdk'],
    ['/docs/api/channels', '/docs/guides/channels'],
    ['/docs/api/webhooks', '/docs/guides/receive-webhooks'],
    ['/docs/webhooks', '/docs/guides/receive-webhooks'],
  ])('%s leads to its guide', (path, guide) => {
    expect(pages.get(path)).toContain(`Guide: <a href="${guide}">`);
    expect(pages.get('/docs')).toContain(`href="${guide}"`);
  });

  test('the samples name the installation', () => {
    expect(pages.get('/docs')).toContain(`export URL=${BASE_URL}`);
  });
});
