import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { mountRoute } from '@tidings/http/app';
import type { Express, RequestHandler } from 'express';

const DIST_DIR = join(import.meta.dirname, '../../../browser-sdk/dist');

/** The files that browsers fetch. `browser-sdk/bundle.mjs` builds them. */
const TYPES = {
  'sdk.js': 'text/javascript; charset=utf-8',
  'sw.js': 'text/javascript; charset=utf-8',
  'frame.html': 'text/html; charset=utf-8',
  'tidings.d.ts': 'text/plain; charset=utf-8',
} as const;
export type SdkFileName = keyof typeof TYPES;
export type SdkFiles = Readonly<Record<SdkFileName, string>>;

/** A new version reaches every page within an hour, without a request per page view. */
const CACHE_CONTROL = 'public, max-age=3600, stale-while-revalidate=86400';

/**
 * `GET /sdk/v1/sdk.js` and the other SDK files. They are public: no key is required, and pages of
 * any origin may load them.
 */
export function mountSdkFiles(app: Express, files: SdkFiles = readSdkFiles()): void {
  for (const name of Object.keys(TYPES) as SdkFileName[])
    mountRoute(app, `/sdk/v1/${name}`, { GET: [fileHandler(name, files[name])] });
}

/** @throws when they are not built; `npm start`, `npm test` and the image build them */
function readSdkFiles(): SdkFiles {
  const read = (name: SdkFileName): string => readFileSync(join(DIST_DIR, name), 'utf8');
  try {
    return {
      'sdk.js': read('sdk.js'),
      'sw.js': read('sw.js'),
      'frame.html': read('frame.html'),
      'tidings.d.ts': read('tidings.d.ts'),
    };
  } catch (error) {
    throw new Error(
      'The browser SDK is not bundled: run "npm run bundle" in services/client-api.',
      { cause: error },
    );
  }
}

function fileHandler(name: SdkFileName, text: string): RequestHandler {
  const plain = Buffer.from(text);
  const encoded = { br: brotliCompressSync(plain), gzip: gzipSync(plain, { level: 9 }) };
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const policy = name === 'frame.html' ? framePolicy(text) : null;
  return (req, res) => {
    const encoding = req.acceptsEncodings('br', 'gzip', 'identity');
    res.set({
      'Content-Type': TYPES[name],
      'Cache-Control': CACHE_CONTROL,
      // Weak: the encodings differ in bytes.
      ETag: `W/"${hash}"`,
      Vary: 'Accept-Encoding',
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    if (policy !== null) res.setHeader('Content-Security-Policy', policy);
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    if (encoding === 'br' || encoding === 'gzip') res.setHeader('Content-Encoding', encoding);
    res.end(encoding === 'br' || encoding === 'gzip' ? encoded[encoding] : plain);
  };
}

/**
 * The policy of the frame that shows messages: an opaque origin, only its own script, no
 * navigation. Images, styles, fonts and media of a message may come from anywhere.
 */
function framePolicy(html: string): string {
  const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
  const hash = createHash('sha256').update(script).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline' https: http:",
    'img-src https: http: data:',
    'media-src https: http: data:',
    'font-src https: http: data:',
    "base-uri 'none'",
    "form-action 'none'",
    'sandbox allow-scripts',
  ].join('; ');
}
