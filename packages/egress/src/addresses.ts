import ipaddr from 'ipaddr.js';

/** Decides whether an IP address may be reached. */
export type AddressPolicy = (address: string) => boolean;

/** Global unicast of IPv6, as far as it is assigned (RFC 4291 §2.4, IANA's registry): all else stands for something. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Inside it, for documents only (RFC 9637); not yet known to ipaddr.js. */
const DOCUMENTATION_IPV6 = ipaddr.parseCIDR('3fff::/20');

/**
 * Public addresses (or what `isAllowedElsewhere` says instead), and those of the networks allowed. What only wraps an IPv4 address (mapped, NAT64, 6to4, Teredo,
 * compatible) is not public, for it could wrap a private one; a mapped one is taken as what it wraps.
 * @throws Error when a network is not CIDR
 */
export function createAddressPolicy(
  allowedNetworks: readonly string[],
  isAllowedElsewhere = isPublic,
): AddressPolicy {
  const allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  return (text) => {
    const address = ipaddr.process(text);
    return (
      isAllowedElsewhere(address) ||
      allowed.some((network) => network[0].kind() === address.kind() && address.match(network))
    );
  };
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (!(address instanceof ipaddr.IPv6)) return true;
  return address.match(GLOBAL_IPV6) && !address.match(DOCUMENTATION_IPV6);
}
