import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkList, parseNetwork, plainAddress } from '../addresses/networks.ts';
import { ConfigError, list, type ConfigSpec } from '../config.ts';

/** For services that ask where a request comes from. */
export const proxyConfig = {
  trustedProxies: list('TRUSTED_PROXIES', 'Networks (CIDR) of the proxies whose X-Forwarded-For is believed; none: the caller is who connects.', {
    default: [],
  }),
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

/** Believes the last `X-Forwarded-Proto`, of a trusted proxy alone. */
export function createTlsReader(trustedProxies: readonly string[]): TlsReader {
  const trusted = networkList(trustedProxies);
  return ({ headers, socket }) => {
    if ('encrypted' in socket) return true;
    if (!trusted.has(socket.remoteAddress ?? '')) return false;
    return String(headers['x-forwarded-proto'] ?? '').split(',').at(-1)?.trim().toLowerCase() === 'https';
  };
}
