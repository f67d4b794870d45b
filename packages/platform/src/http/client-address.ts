import type { Express, Request } from 'express';
import { parseNetwork, plainAddress } from '../addresses/networks.ts';
import { ConfigError, list, type ConfigSpec } from '../config.ts';

/** For services that ask where a request comes from. */
export const proxyConfig = {
  trustedProxies: list('TRUSTED_PROXIES', 'Networks (CIDR) of the proxies whose X-Forwarded-For is believed; none: the caller is who connects.', {
    default: [],
  }),
} as const satisfies ConfigSpec;

/**
 * Believes `X-Forwarded-For` as far as trusted proxies wrote it: from the right, up to the first address that is none.
 * @throws ConfigError when an entry is no network, or is every address there is, which would let callers name theirs
 */
export function trustProxies(app: Express, networks: readonly string[]): void {
  const problems = networks.flatMap((entry) => {
    const network = parseNetwork(entry);
    if (network === null) return [`TRUSTED_PROXIES "${entry}" is neither an address nor a network`];
    return network.prefix === 0 ? [`TRUSTED_PROXIES "${entry}" would believe every caller`] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  app.set('trust proxy', [...networks]);
}

/** Where a request comes from; null when the proxies say what is no address. */
export function clientAddressOf(req: Request): string | null {
  return plainAddress(req.ip ?? '');
}
