import { networkList, type NetworkList } from './networks.ts';

/**
 * Compiled lists, as long as their source list is referenced. The store returns one list per read,
 * and every request uses it.
 */
const compiled = new WeakMap<readonly string[], NetworkList>();

/** The allow-list rules of an application for the addresses of its key users. */
export type AddressRules = {
  readonly type: 'server' | 'client';
  /** Addresses and networks (CIDR); empty: any address. */
  readonly allowList: readonly string[];
  readonly settings: { readonly allowListExemptsClientKeys?: boolean };
};

/**
 * Whether a valid key may be used from an address. `address` is called only if there is a list. An
 * unreadable address (null) is on no list.
 */
export function isAddressAllowed(
  { type, allowList, settings }: AddressRules,
  address: () => string | null,
): boolean {
  if (allowList.length === 0) return true;
  if (type === 'client' && settings.allowListExemptsClientKeys === true) return true;
  const from = address();
  if (from === null) return false;
  let list = compiled.get(allowList);
  if (list === undefined) compiled.set(allowList, (list = networkList(allowList)));
  return list.has(from);
}
