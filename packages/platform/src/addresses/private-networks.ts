import { networkList } from './networks.ts';

const LOOPBACK = networkList(['127.0.0.0/8', '::1']);
/** Networks that are not on the internet: private, carrier-grade NAT, link-local. */
const PRIVATE = networkList([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]);

/** Classifies an address: this machine, a private network, or the internet. */
export function networkScope(address: string): 'loopback' | 'private' | 'public' {
  if (LOOPBACK.has(address)) return 'loopback';
  return PRIVATE.has(address) ? 'private' : 'public';
}
