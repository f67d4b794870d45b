import {
  ConfigError,
  type ConfigSpec,
  flag,
  list,
  networkList,
  parseNetwork,
  plainAddress,
} from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Settings of services that need the client address or scheme. */
export const proxyConfig = {
  trustedProxies: list(
    'TRUSTED_PROXIES',
    'Networks (CIDR) of the proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted. Empty: the connecting address is the client.',
    {
      default: [],
    },
  ),
  httpsOnly: flag(
    'HTTPS_ONLY',
    'Rejects requests that reached a trusted proxy over plain HTTP, by X-Forwarded-Proto: GET and HEAD get 308 to https, all others 403. Set false if proxies report http although TLS ends before them.',
    { default: true },
  ),
} as const satisfies ConfigSpec;

/** Reads the client address of a request; null if the forwarded value is not an address. */
export type ClientAddressReader = (req: IncomingMessage) => string | null;

/**
 * Trusts `X-Forwarded-For` from right to left, up to the first address that is not a trusted proxy.
 * @throws ConfigError if an entry is not a network, or covers every address, which would let
 * callers forge theirs
 */
export function createClientAddressReader(trustedProxies: readonly string[]): ClientAddressReader {
  const problems = trustedProxies.flatMap((entry) => {
    const network = parseNetwork(entry);
    if (network === null) return [`TRUSTED_PROXIES "${entry}" is neither an address nor a network`];
    return network.prefix === 0 ? [`TRUSTED_PROXIES "${entry}" would believe every caller`] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  const trusted = networkList(trustedProxies);
  // An entry that no proxy writes, such as an address with a port, came from someone else and is
  // not trusted.
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

/**
 * Whether a request came over TLS: to this server directly, or to a trusted proxy according to its
 * header.
 */
export type TlsReader = (req: IncomingMessage) => boolean;

export function createTlsReader(trustedProxies: readonly string[]): TlsReader {
  const cameBy = createSchemeReader(trustedProxies);
  return (req) => 'encrypted' in req.socket || cameBy(req, 'https');
}

/** Whether a trusted proxy reports this scheme for a request. */
export type SchemeReader = (req: IncomingMessage, scheme: 'http' | 'https') => boolean;

/** Reads the last `X-Forwarded-Proto` value, only from a trusted proxy. */
export function createSchemeReader(trustedProxies: readonly string[]): SchemeReader {
  const trusted = networkList(trustedProxies);
  // Checking the header is cheaper than checking the address, so it comes first.
  return ({ headers, socket }, scheme) =>
    String(headers['x-forwarded-proto'] ?? '')
      .split(',')
      .at(-1)
      ?.trim()
      .toLowerCase() === scheme && trusted.has(socket.remoteAddress ?? '');
}
