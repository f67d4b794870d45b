import type { IncomingMessage } from 'node:http';

/**
 * Who fetches what stands in a mail before, or without, a person who reads it: the proxies of Gmail (support.google.com/mail/answer/145919)
 * and Yahoo, scanners of links, previews of chats. Apple's Mail Privacy Protection calls itself nothing but `Mozilla/5.0`.
 */
const MACHINES =
  /GoogleImageProxy|YahooMailProxy|ggpht|Barracuda|Proofpoint|Mimecast|SafeLinks|bot\b|crawler|spider|slurp|scanner|preview|facebookexternalhit|WhatsApp|Slack|Skype|Telegram|HeadlessChrome/i;
const APPLE_PROXY = 'Mozilla/5.0';

/** Headers by which browsers and proxies say that nobody asked for this yet. */
const PREFETCH_HEADERS = ['purpose', 'x-purpose', 'sec-purpose', 'x-moz'];
const PREFETCHES = /prefetch|preview|prerender/i;

/** Whether a request itself says that a machine makes it. */
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
