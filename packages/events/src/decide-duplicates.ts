import type { ReceiptReason } from '@tidings/contracts';

/** What a message wants for itself alone: its id, and where the second rule applies its user's time. */
export type WantedKeys = { readonly byId: string; readonly byUserTime: string | null };

/** Keys that other messages have. */
export type TakenKeys = {
  readonly byId: ReadonlySet<string>;
  readonly byUserTime: ReadonlySet<string>;
};

/**
 * Both duplicate rules within a batch, in its order, beside the keys that stand. A message that loses one key takes
 * neither. Null for those that are no duplicates.
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
