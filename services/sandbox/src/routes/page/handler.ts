import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { mountRoute } from '@tidings/http/app';
import type { Express } from 'express';

const WEB_DIR = join(import.meta.dirname, '../../../web');

/**
 * Only our own script files. Styles and images are open because the frame that shows an e-mail
 * inherits this policy. Inside it, a stricter policy forbids everything else, and `sandbox` all
 * scripts.
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

/** Options of the channel menus. */
const CHANNEL_OPTIONS = CHANNELS.map((channel) => `<option>${channel}</option>`).join('');

/** The page at `/` and its files, read once; `facts` are shown on the page. */
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
