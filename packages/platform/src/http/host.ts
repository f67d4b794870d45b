import type { IncomingMessage } from 'node:http';
import { AppError } from '../app-error.ts';

/**
 * A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986, 3.2.2).
 */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;
const NAME = 'host';

/** Cache of the last valid host: most requests of a process name the same one. */
let lastValid: string | undefined;

/**
 * The fault of a Host header that RFC 9112 (3.2) requires to reject: missing, repeated or invalid.
 * With two hosts, two servers might each use another one. Null if there is no fault.
 */
export function hostFault({
  headers: { host },
  httpVersion,
  rawHeaders,
}: IncomingMessage): AppError | null {
  if (host === undefined) return httpVersion === '1.1' ? fault('Host is missing') : null;
  if (countHosts(rawHeaders) > 1) return fault('Host is repeated');
  if (host === lastValid) return null;
  if (!HOST.test(host)) return fault('Host is not valid');
  lastValid = host;
  return null;
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === NAME.length && name.toLowerCase() === NAME) hosts += 1;
  }
  return hosts;
}

function fault(what: string): AppError {
  return new AppError('invalid_json', `The request is not valid HTTP: ${what}.`);
}
