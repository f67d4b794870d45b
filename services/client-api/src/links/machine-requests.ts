import type { IncomingMessage } from 'node:http';

/**
 * User agents that fetch links and images of e-mails without a reader: the image proxies of Gmail
 * (support.google.com/mail/answer/145919) and Yahoo, link scanners and chat previews. Apple Mail
 * Privacy Protection only sends `Mozilla/5.0`.
 */
const MACHINES =
  /GoogleImageProxy|YahooMailProxy|ggpht|Barracuda|Proofpoint|Mimecast|SafeLinks|bot\b|crawler|spider|slurp|scanner|preview|facebookexternalhit|WhatsApp|Slack|Skype|Telegram|HeadlessChrome/i;
const APPLE_PROXY = 'Mozilla/5.0';

/** Headers that browsers and proxies send with prefetch requests. */
const PREFETCH_HEADERS = ['purpose', 'x-purpose', 'sec-purpose', 'x-moz'];
const PREFETCHES = /prefetch|preview|prerender/i;

/**
 * Whether the request itself indicates a machine. Bursts are detected later, when hits are
 * classified.
 */
export function isMachineRequest({
  method,
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const userAgent = headers['user-agent'] ?? '';
  return (
    method === 'HEAD' ||
    userAgent.trim() === APPLE_PROXY ||
    MACHINES.test(userAgent) ||
    PREFETCH_HEADERS.some((name) => PREFETCHES.test(String(headers[name] ?? '')))
  );
}
