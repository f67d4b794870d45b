import ipaddr from 'ipaddr.js';

/** Decides whether an IP address may be connected to. */
export type AddressPolicy = (address: string) => boolean;

/**
 * Assigned global unicast addresses of IPv6 (RFC 4291 §2.4, IANA's registry). All others have a
 * special purpose.
 */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** For documentation only (RFC 9637), within the range above; ipaddr.js does not know it yet. */
const DOCUMENTATION_IPV6 = ipaddr.parseCIDR('3fff::/20');

/**
 * Allows public addresses (or the result of `isAllowedElsewhere`) and the addresses of the allowed
 * networks. Addresses that embed an IPv4 address (NAT64, 6to4, Teredo, compatible) are not public,
 * because the embedded one could be private. A mapped address counts as its IPv4 address.
 * @throws Error if a network is not CIDR
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
