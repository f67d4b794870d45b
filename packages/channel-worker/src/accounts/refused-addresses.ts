import { LRUCache } from 'lru-cache';

/** Whose fault a refusal is that names neither: of the address alone, of the account, or not known yet. */
export type AddressVerdict = 'address' | 'account' | 'undecided';

/**
 * What a provider lately said of the addresses of an account. Some refuse an address that belongs to another account in the
 * same words as an account that may do nothing; the first is to be removed, the second mended. Each process has its own.
 */
export interface RefusedAddresses {
  /** A later answer to an address replaces its earlier one: an address that is tried again and again counts once. */
  note(account: string, answer: { readonly address: string; readonly isRefused: boolean }): void;
  /** `account` where more than half of the addresses are refused, and there are enough to say so; `address` where half or more are taken. */
  judge(account: string): AddressVerdict;
}

const ACCOUNTS_MAX = 1_000;
const ADDRESSES_MAX = 20;
const ADDRESSES_MIN = 5;

export function createRefusedAddresses(): RefusedAddresses {
  const accounts = new LRUCache<string, Map<string, boolean>>({ max: ACCOUNTS_MAX });
  return {
    note(account, { address, isRefused }) {
      const answers = accounts.get(account) ?? new Map<string, boolean>();
      answers.delete(address);
      answers.set(address, isRefused);
      const [oldest] = answers.keys();
      if (answers.size > ADDRESSES_MAX && oldest !== undefined) answers.delete(oldest);
      accounts.set(account, answers);
    },
    judge(account) {
      const answers = [...(accounts.get(account)?.values() ?? [])];
      const refused = answers.filter(Boolean).length;
      if (refused * 2 <= answers.length) return 'address';
      return answers.length >= ADDRESSES_MIN ? 'account' : 'undecided';
    },
  };
}
