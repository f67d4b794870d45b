import type { ReceiptReason } from '@tidings/contracts';

/** The keys of a message: its id and, where the second rule applies, its user and time. */
export type WantedKeys = { readonly byId: string; readonly byUserTime: string | null };

/** Keys that other messages hold. */
export type TakenKeys = {
  readonly byId: ReadonlySet<string>;
  readonly byUserTime: ReadonlySet<string>;
};

/**
 * Applies both duplicate rules to a batch, in order, given the keys already taken. A duplicate
 * takes no key. Returns null for messages that are not duplicates.
 */
export function decideDuplicates(
  keys: readonly WantedKeys[],
  taken: TakenKeys,
): (ReceiptReason | null)[] {
  const ids = new Set(taken.byId);
  const userTimes = new Set(taken.byUserTime);
  return keys.map(({ byId, byUserTime }) => {
    if (ids.has(byId)) return 'duplicate_id';
    if (byUserTime !== null && userTimes.has(byUserTime)) return 'duplicate_user_time';
    ids.add(byId);
    if (byUserTime !== null) userTimes.add(byUserTime);
    return null;
  });
}
