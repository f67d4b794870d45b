import { networkScope } from '@tidings/platform';
import type { RequestHandler } from 'express';
import { isIP } from 'node:net';

const HOST = /^[a-z0-9._:[\]-]{1,300}$/i;
const DETAIL =
  'The sandbox does not know this host name. Open it as localhost, or add the name to SANDBOX_HOSTNAMES.';

/**
 * Answers only requests to a name or address of this machine, or to one of `hostnames`. Everyone who
 * reaches the sandbox may read its messages: otherwise any web page could make a name of its own
 * resolve to it and read them in the browser of a developer (DNS rebinding).
 */
export function onlyOwnHosts(hostnames: readonly string[]): RequestHandler {
  const known = new Set(hostnames.map(canonical));
  return (req, res, next) => {
    const host = readHostname(req.headers.host);
    if (host !== null && (isOfThisMachine(host) || known.has(host))) return next();
    // RFC 9110, 15.5.20.
    res
      .status(421)
      .type('application/problem+json')
      .send(
        JSON.stringify({
          type: 'about:blank',
          title: 'Misdirected Request',
          status: 421,
          detail: DETAIL,
        }),
      );
  };
}

/** Null without a host, or with one that no browser sends. */
function readHostname(header: string | undefined): string | null {
  const url = `http://${header ?? ''}/`;
  if (header === undefined || !HOST.test(header) || !URL.canParse(url)) return null;
  return canonical(new URL(url).hostname);
}

/** In lower case, without the dot at the end of a full name and the brackets of an IPv6 address. */
const canonical = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

const isOfThisMachine = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  (isIP(host) !== 0 && networkScope(host) === 'loopback');
