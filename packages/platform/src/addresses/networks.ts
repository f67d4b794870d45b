import { BlockList, SocketAddress, isIP } from 'node:net';

/** One address, or all addresses with the same first `prefix` bits. */
export type Network = {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
};

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;
const MAPPED_PREFIX = 96;
const BITS = { ipv4: 32, ipv6: 128 } as const;

/**
 * The canonical spelling of an IP address; null for other text. Accepts ports, brackets and zones
 * as proxies write them. An IPv4-mapped IPv6 address (`::ffff:10.1.2.3`) becomes IPv4.
 */
export function plainAddress(text: string): string | null {
  const [, bracketed, beforePort] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (bracketed ?? beforePort ?? text).split('%', 1);
  const version = isIP(address);
  if (version === 0) return null;
  if (version === 4) return address;
  const written = new SocketAddress({ address, family: 'ipv6' }).address;
  return MAPPED.exec(written)?.[1] ?? written;
}

/**
 * Parses `10.0.0.0/8`, `2001:db8::/32` or a single address. Bits after the prefix are ignored. Null
 * for other text.
 */
export function parseNetwork(text: string): Network | null {
  const [written = '', bits, ...more] = text.split('/');
  const version = isIP(written);
  if (version === 0 || more.length > 0 || written.includes('%')) return null;
  const bitsMax = version === 4 ? BITS.ipv4 : BITS.ipv6;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax)) return null;
  const prefix = bits === undefined ? bitsMax : Number(bits);
  const address = plainAddress(written) ?? written;
  if (version === 4 || isIP(address) === 6)
    return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
  // A network of IPv4-mapped addresses is stored as the IPv4 network.
  return prefix < MAPPED_PREFIX
    ? { address: written, prefix, family: 'ipv6' }
    : { address, prefix: prefix - MAPPED_PREFIX, family: 'ipv4' };
}

/** A set of networks. */
export interface NetworkList {
  has(address: string): boolean;
}

/**
 * Compiles networks. Invalid entries match nothing. IPv4 addresses match only IPv4 networks, never
 * `::/0`.
 */
export function networkList(entries: readonly string[]): NetworkList {
  // Separate lists: in one list, `::/0` would contain every IPv4 address.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of entries) {
    const network = parseNetwork(entry);
    if (network !== null)
      lists[network.family].addSubnet(network.address, network.prefix, network.family);
  }
  return {
    has(text) {
      const address = plainAddress(text);
      if (address === null) return false;
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      return lists[family].check(address, family);
    },
  };
}

/**
 * The address block of one caller: an IPv4 address, or the /64 of an IPv6 address, which one caller
 * fully controls.
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const last = (tail ?? '').split(':').filter((group) => group !== '');
  const left = Math.max(0, 8 - groups.length - last.length);
  return [...groups, ...Array<string>(left).fill('0'), ...last].slice(0, 4).join(':');
}
