import type { IncomingMessage } from 'node:http';
import { AppError } from '../app-error.ts';

/** A name, an IPv4 address or an IPv6 address in brackets, with a port or without (RFC 3986, 3.2.2). */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;
const NAME = 'host';

/** The last host that was valid: most requests of a process name the same. */
let lastValid: string | undefined;

/**
 * What is wrong with the host of a request, as RFC 9112 (3.2) has it refused: none, more than one, or one that is no host.
 * Two readers of two hosts may each take another. Null when nothing is.
 */
export function hostFault({
  headers: { host },
  httpVersion,
  rawHeaders,
}: IncomingMessage): AppError | null {
  if (host === undefined) return httpVersion === '1.1' ? fault('Host is missing') : null;
  if (countHosts(rawHeaders) > 1) return fault('Host is there more than once');
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
