import { networkList, type NetworkList } from './networks.ts';

/** One for each list, for as long as somebody holds it: a list is read from the store once and asked for every request. */
const compiled = new WeakMap<readonly string[], NetworkList>();

/** What the rules of an application say of the addresses that its keys may be used from. */
export type AddressRules = {
  readonly type: 'server' | 'client';
  /** Addresses and networks (CIDR); empty: any address. */
  readonly allowList: readonly string[];
  readonly settings: { readonly allowListExemptsClientKeys?: boolean };
};

/**
 * Whether a valid key may be used from an address, asked for only where there is a list. An address that cannot be read
 * (null) is on no list.
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
