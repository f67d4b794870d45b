import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { CHANNELS } from '@tidings/contracts';
import { mountRoute } from '@tidings/platform';
import type { Express } from 'express';

const WEB_DIR = join(import.meta.dirname, '../../../web');

/**
 * No script but our files. Styles and images are open because the frame that shows a mail inherits this policy;
 * inside it a stricter one of its own forbids everything else, and `sandbox` all scripts.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data: http: https:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of each choice of a channel. */
const CHANNEL_OPTIONS = CHANNELS.map((channel) => `<option>${channel}</option>`).join('');

/** The page at `/` and its files, read once; `facts` are what the page tells of this sandbox. */
export function mountPage(app: Express, facts: { readonly smtpPort: number }): void {
  for (const { name } of readdirSync(WEB_DIR, { withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )) {
    const content = readFileSync(join(WEB_DIR, name), 'utf8')
      .replaceAll('{{smtpPort}}', String(facts.smtpPort))
      .replaceAll('{{channelOptions}}', CHANNEL_OPTIONS);
    mountRoute(app, name === 'index.html' ? '/' : `/${name}`, {
      GET: [
        (_req, res) => {
          res.set({
            'Content-Security-Policy': CONTENT_SECURITY_POLICY,
            'X-Content-Type-Options': 'nosniff',
            'Referrer-Policy': 'no-referrer',
            'Cache-Control': 'no-cache',
          });
          res.type(extname(name)).send(content);
        },
      ],
    });
  }
}
