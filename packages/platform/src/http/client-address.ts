import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkList, parseNetwork, plainAddress } from '../addresses/networks.ts';
import { ConfigError, flag, list, type ConfigSpec } from '../config.ts';

/** For services that ask where a request comes from, and by what. */
export const proxyConfig = {
  trustedProxies: list(
    'TRUSTED_PROXIES',
    'Networks (CIDR) of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; none: the caller is who connects.',
    {
      default: [],
    },
  ),
  httpsOnly: flag(
    'HTTPS_ONLY',
    'What came to a trusted proxy by plain HTTP, as its X-Forwarded-Proto says, is not processed: GET and HEAD are answered 308 to https, anything else 403. false where proxies say http though TLS ended before them.',
    { default: true },
  ),
} as const satisfies ConfigSpec;

/** Where a request comes from; null when the proxies say what is no address. */
export type ClientAddressReader = (req: IncomingMessage) => string | null;

/**
 * Believes `X-Forwarded-For` as far as trusted proxies wrote it: from the right, up to the first address that is none.
 * @throws ConfigError when an entry is no network, or is every address there is, which would let callers name theirs
 */
export function createClientAddressReader(trustedProxies: readonly string[]): ClientAddressReader {
  const problems = trustedProxies.flatMap((entry) => {
    const network = parseNetwork(entry);
    if (network === null) return [`TRUSTED_PROXIES "${entry}" is neither an address nor a network`];
    return network.prefix === 0 ? [`TRUSTED_PROXIES "${entry}" would believe every caller`] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  const trusted = networkList(trustedProxies);
  // What no proxy writes of itself, as an address with a port, is the word of somebody else.
  const isTrusted = (address: string): boolean => isIP(address) !== 0 && trusted.has(address);
  return ({ headers, socket }) => {
    let address = socket.remoteAddress ?? '';
    if (!isTrusted(address)) return plainAddress(address);
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    for (const hop of hops.reverse()) {
      const written = hop.trim();
      if (written === '') continue;
      address = written;
      if (!isTrusted(address)) break;
    }
    return plainAddress(address);
  };
}

/** Whether a request came over TLS: to this very server, or as the proxy before it says when that is a trusted one. */
export type TlsReader = (req: IncomingMessage) => boolean;

export function createTlsReader(trustedProxies: readonly string[]): TlsReader {
  const cameBy = createSchemeReader(trustedProxies);
  return (req) => 'encrypted' in req.socket || cameBy(req, 'https');
}

/** Whether a trusted proxy says that a request came to it by this scheme. */
export type SchemeReader = (req: IncomingMessage, scheme: 'http' | 'https') => boolean;

/** Believes the last `X-Forwarded-Proto`, of a trusted proxy alone. */
export function createSchemeReader(trustedProxies: readonly string[]): SchemeReader {
  const trusted = networkList(trustedProxies);
  // What is said costs less to look at than who says it.
  return ({ headers, socket }, scheme) =>
    String(headers['x-forwarded-proto'] ?? '')
      .split(',')
      .at(-1)
      ?.trim()
      .toLowerCase() === scheme && trusted.has(socket.remoteAddress ?? '');
}
