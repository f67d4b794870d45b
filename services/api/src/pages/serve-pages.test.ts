import { afterAll, describe, expect, test } from '@jest/globals';
import { createApp, finishApp } from '@tidings/http/app';
import { createTlsReader } from '@tidings/http/client-address';
import { createLogger, listen } from '@tidings/platform';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servePages } from './serve-pages.ts';

const dir = mkdtempSync(join(tmpdir(), 'pages-'));
mkdirSync(join(dir, '.hidden', 'dist', 'assets'), { recursive: true });
// Like a checkout inside a folder that starts with a dot.
const pagesDir = join(dir, '.hidden', 'dist');
writeFileSync(join(pagesDir, 'index.html'), '<!doctype html><title>Tidings</title>');
writeFileSync(
  join(pagesDir, 'assets', 'index-1a2b3c.js'),
  `export {};${'// long enough to be worth it\n'.repeat(100)}`,
);
writeFileSync(join(pagesDir, 'preview.html'), '<!doctype html><title>Message</title>');
writeFileSync(join(pagesDir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
writeFileSync(join(pagesDir, '.env'), 'secret');
writeFileSync(join(dir, '.hidden', 'outside.txt'), 'secret');

const serve = (of: string) => {
  const app = createApp();
  servePages(app, { pagesDir: of, isTls: createTlsReader(['127.0.0.1']) });
  finishApp(app, createLogger('test', 'error', { write: () => undefined }));
  return listen(app, { host: '127.0.0.1', port: 0 });
};
const server = await serve(pagesDir);
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true });
});

const get = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${server.url}${path}`, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test.each([
  '/dashboard',
  '/dashboard/',
  '/dashboard/campaigns/01a1fda0?status=failed',
  '/dashboard/welcome',
  '/dashboard/users/ada.lovelace',
  '/dashboard/index.html',
])('%s serves index.html, revalidated each time', async (path) => {
  const { status, headers, text } = await get(path);

  expect(status).toBe(200);
  expect(text).toContain('<title>Tidings</title>');
  expect(headers.get('content-type')).toMatch(/^text\/html/);
  expect(headers.get('cache-control')).toBe('no-cache');
});

test('a file with a hash in its name is cached forever, another one is revalidated', async () => {
  const asset = await get('/dashboard/assets/index-1a2b3c.js');

  expect([asset.status, asset.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
  expect(asset.headers.get('content-type')).toMatch(/javascript/);
  expect((await get('/dashboard/icon.svg')).headers.get('cache-control')).toBe('no-cache');
});

test('a file of an older build gets 404, not index.html', async () => {
  expect((await get('/dashboard/assets/index-000000.js')).status).toBe(404);
});

test.each([
  '/dashboard/..%2foutside.txt',
  '/dashboard/%2e%2e/outside.txt',
  '/dashboard/.env',
  '/dashboard/assets/..%2f..%2foutside.txt',
  '/dashboard/%00',
])('%s serves no file outside the build', async (path) => {
  expect((await get(path)).text).not.toContain('secret');
});

test('only own scripts run, framing is forbidden, and no referrer is sent', async () => {
  const { headers } = await get('/dashboard');

  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none';script-src 'self';style-src 'self';img-src 'self';font-src 'self';connect-src 'self';frame-src 'self';object-src 'none';base-uri 'none';frame-ancestors 'none';form-action 'self'",
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('strict-transport-security')).toBeNull();
  expect(
    (await get('/dashboard', { headers: { 'X-Forwarded-Proto': 'https' } })).headers.get(
      'strict-transport-security',
    ),
  ).toBe('max-age=31536000');
});

test('the preview frame runs no scripts, and only own pages may embed it', async () => {
  const { status, headers } = await get('/dashboard/preview.html');

  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none';style-src 'unsafe-inline';img-src https: http: data:;base-uri 'none';form-action 'none';frame-ancestors 'self';sandbox allow-same-origin",
  );
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
});

test('scripts are compressed for clients that accept it', async () => {
  const { headers } = await get('/dashboard/assets/index-1a2b3c.js', {
    headers: { 'Accept-Encoding': 'br' },
  });

  expect(headers.get('content-encoding')).toBe('br');
  expect(headers.get('vary')).toContain('Accept-Encoding');
});

test('other methods get 405', async () => {
  const { status, headers } = await get('/dashboard', { method: 'POST' });

  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

describe('without a build', () => {
  test('404 explains it', async () => {
    const bare = await serve(join(dir, 'nothing'));
    try {
      const response = await fetch(`${bare.url}/dashboard`);

      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        code: 'not_found',
        detail: expect.stringContaining('not built'),
      });
    } finally {
      await bare.close();
    }
  });
});
