import type { IncomingMessage } from 'node:http';
import { parseUserAgent, type UserAgent } from './user-agents.ts';

/** Headers that browsers and proxies send with prefetch requests. */
const PREFETCH_HEADERS = ['purpose', 'x-purpose', 'sec-purpose', 'x-moz'];
const PREFETCHES = /prefetch|preview|prerender/i;

/** All that Apple's privacy proxy says of itself, when a mail arrives (Mail Privacy Protection). */
const APPLE_PRIVACY_PROXY = 'Mozilla/5.0';

/**
 * The end of a name: a provider's proxy that loads images when a person opens the mail, as those of
 * Gmail (support.google.com/mail/answer/145919) and Yahoo (help.yahoo.com/kb/SLN28749).
 */
const MAIL_PROXY = /(?:image|e?mail)proxy$|\bmail\..* proxy$/i;
/** The end of a name, or of one of its parts, that says what a program does. */
const ROBOT =
  /(?:bot|crawl(?:er)?|spider|slurp|scan(?:ner)?|preview|snippet|fetch(?:er)?|check(?:er)?|monitor|validator|hit)$/i;
/** The start of a name: a browser without a window. */
const WINDOWLESS = /^(?:headless|phantom)/i;
/** Browsers that call themselves compatible with another one. All else that does is a robot. */
const COMPATIBLE_BROWSERS = /^(?:msie|konqueror|ms-office|msoffice)\b/i;
/** What draws pages. A program without one of these draws none, so no person sees it. */
const ENGINES = new Set(['applewebkit', 'gecko', 'trident', 'khtml', 'presto', 'opera']);
/** Mail programs that load images themselves and do not say with which engine. */
const MAIL_PROGRAM = /mail|outlook|notes|postbox|emclient|\bbat!/i;

/**
 * Whether the request itself indicates a machine. Bursts are detected later, when hits are
 * classified.
 *
 * A machine is what says so (by a method, a header, a product, an address for complaints), the
 * privacy proxy of Apple, and what draws no pages: scripts, and callers without a name. A provider's
 * image proxy is a person's. Only products count: a word in the name of a phone says nothing.
 */
export function isMachineRequest({
  method,
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return (
    method === 'HEAD' ||
    PREFETCH_HEADERS.some((name) => PREFETCHES.test(String(headers[name] ?? ''))) ||
    isMachine(headers['user-agent']?.trim() ?? '')
  );
}

function isMachine(text: string): boolean {
  if (text === '' || text === APPLE_PRIVACY_PROXY) return true;
  const agent = parseUserAgent(text);
  if (agent.products.some((name) => MAIL_PROXY.test(name))) return false;
  return (
    agent.hasContact || agent.products.some(isRobot) || isIncompatible(agent) || !isReader(agent)
  );
}

function isRobot(name: string): boolean {
  return WINDOWLESS.test(name) || name.split(/[-_.]/).some((part) => ROBOT.test(part));
}

function isIncompatible({ compatibles }: UserAgent): boolean {
  return compatibles.some((name) => !COMPATIBLE_BROWSERS.test(name) && !MAIL_PROGRAM.test(name));
}

function isReader({ products, compatibles, details }: UserAgent): boolean {
  return (
    compatibles.length > 0 ||
    products.some((name) => ENGINES.has(name.toLowerCase()) || MAIL_PROGRAM.test(name)) ||
    details.some((detail) => MAIL_PROGRAM.test(detail))
  );
}
