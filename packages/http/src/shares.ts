import type { KeyType } from '@tidings/contracts/ingest/records';

/** The application of a request and the type of its key. Server keys and Client keys of one application have separate shares. */
export type Owner = { readonly applicationId: string; readonly keyType: KeyType };

/**
 * A bound shared by all owners. An owner may use half of what the others leave free, or at least
 * one portion of the free amount.
 * Client keys are public. Those of all applications together may use half of the bound; those of
 * one application may use half of what the other Client keys leave of that. So unfinished requests
 * of web pages leave at least half to Server keys.
 */
export interface Shares {
  fits(owner: Owner, amount: number): boolean;
  /** A negative amount releases. The total may exceed the bound. */
  change(owner: Owner, by: number): void;
}

type Held = { readonly max: number; total: number; readonly byApplication: Map<string, number> };

export function createShares(max: number): Shares {
  const held: Readonly<Record<KeyType, Held>> = {
    server: { max, total: 0, byApplication: new Map() },
    client: { max: max / 2, total: 0, byApplication: new Map() },
  };
  const total = (): number => held.server.total + held.client.total;
  return {
    fits({ applicationId, keyType }, amount) {
      const all = total();
      if (all + amount > max) return false;
      const { max: ownMax, total: ofType, byApplication } = held[keyType];
      // One Client-key request always fits, so a small bound does not reject all of them.
      if (keyType === 'client' && ofType > 0 && ofType + amount > ownMax) return false;
      const own = byApplication.get(applicationId) ?? 0;
      if (own === 0) return true;
      const wanted = own + amount;
      return (
        wanted <= (max - (all - own)) / 2 &&
        (keyType === 'server' || wanted <= (ownMax - (ofType - own)) / 2)
      );
    },
    change({ applicationId, keyType }, by) {
      const ofType = held[keyType];
      ofType.total += by;
      const own = (ofType.byApplication.get(applicationId) ?? 0) + by;
      if (own === 0) ofType.byApplication.delete(applicationId);
      else ofType.byApplication.set(applicationId, own);
    },
  };
}
