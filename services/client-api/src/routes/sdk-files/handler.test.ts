import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import { createApp } from '@tidings/http/app';
import { listen } from '@tidings/platform';
import { bundleBrowserSdk } from '../../../browser-sdk/bundle.mjs';
import { startSdkFiles } from '../../testing/test-sdk-files.ts';
import { mountSdkFiles } from './handler.ts';

const server = await startSdkFiles();
afterAll(() => server.close());

test.each([
  ['sdk.js', 'text/javascript; charset=utf-8'],
  ['sw.js', 'text/javascript; charset=utf-8'],
  ['frame.html', 'text/html; charset=utf-8'],
  ['tidings.d.ts', 'text/plain; charset=utf-8'],
])('%s is served to any page, without a key, and can be cached', async (name, type) => {
  const { status, headers } = await fetch(`${server.url}/sdk/v1/${name}`);

  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toBe(type);
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
  expect(headers.get('Cache-Control')).toMatch(/^public, max-age=\d+/);
  expect(headers.get('ETag')).toMatch(/^W\/"[\w-]{22}"$/);
});

test.each<[string, string | undefined, (body: Buffer) => Buffer]>([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['identity', undefined, (body) => body],
  ['', undefined, (body) => body],
])(
  'with Accept-Encoding %j the content is encoded by %s, and the same',
  async (accepted, encoding, decode) => {
    const { headers, body } = await server.getRaw('/sdk/v1/sdk.js', {
      'Accept-Encoding': accepted,
    });

    expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'Accept-Encoding']);
    expect(decode(body).toString()).toBe(server.files['sdk.js']);
  },
);

test('the message frame has an opaque origin, and only its own script may run', async () => {
  const { headers } = await fetch(`${server.url}/sdk/v1/frame.html`);

  const policy = headers.get('Content-Security-Policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'sha256-");
  expect(policy).toMatch(/; sandbox allow-scripts$/);
  expect(policy).not.toContain('allow-same-origin');
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
});

test('the service serves the bundled files', async () => {
  const app = createApp();
  mountSdkFiles(app);
  const bundled = await listen(app, { host: '127.0.0.1', port: 0 });

  const texts = await Promise.all(
    ['sdk.js', 'sw.js', 'frame.html', 'tidings.d.ts'].map(async (name) =>
      (await fetch(`${bundled.url}/sdk/v1/${name}`)).text(),
    ),
  );
  await bundled.close();

  expect(texts[0]).toContain('tidings');
  expect(texts[1]).toContain('notificationclick');
  expect(texts[2]).toContain('postMessage');
  expect(texts[3]).toContain('export interface Tidings');
});

test('a matching ETag gets 304, another one the file', async () => {
  const get = (headers: Readonly<Record<string, string>>) =>
    server.getRaw('/sdk/v1/sdk.js', headers);
  const { etag = '' } = (await get({})).headers;

  const same = await get({ 'If-None-Match': etag });
  const other = await get({ 'If-None-Match': 'W/"of-another-version"' });

  expect([same.status, same.body.toString(), same.headers.etag]).toEqual([304, '', etag]);
  expect([other.status, other.body.toString()]).toEqual([200, server.files['sdk.js']]);
});

test('the files allow only GET', async () => {
  const answer = await fetch(`${server.url}/sdk/v1/sdk.js`, { method: 'POST' });

  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET']);
});

const files = bundleBrowserSdk();
const gzipped = (text: string): number => gzipSync(text, { level: 9 }).length;

test('page and worker scripts have at most 10 KB together, compressed; the message frame 1.5 KB', () => {
  expect(gzipped(files['sdk.js']) + gzipped(files['sw.js'])).toBeLessThanOrEqual(10 * 1_024);
  expect(gzipped(files['frame.html'])).toBeLessThanOrEqual(1_536);
});

test('the types contain all profile fields', () => {
  const [, fields = ''] =
    /type TidingsUserFields = \{([\s\S]*?)\n\};/.exec(files['tidings.d.ts']) ?? [];

  expect([...fields.matchAll(/readonly (\w+)\?:/g)].map(([, name]) => name).sort()).toEqual(
    [...PROFILE_FIELDS, 'customAttributes'].sort(),
  );
});
