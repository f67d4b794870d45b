import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { hash } from 'node:crypto';

/** The keys of a message: its id and, where the second rule applies, its user and time. */
export type WantedKeys = { readonly byId: string; readonly byUserTime: string | null };

/** Keys that other messages hold. */
export type TakenKeys = {
  readonly byId: ReadonlySet<string>;
  readonly byUserTime: ReadonlySet<string>;
};

/**
 * Applies both duplicate rules to the messages of a step, in order, given the keys already taken. A
 * duplicate takes no key. Returns null for messages that are not duplicates.
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

/**
 * A message id, in the name space of its type of key. The first two parts have no colon, so that
 * different parts never make the same text.
 */
export function messageIdText(applicationId: string, origin: KeyType, id: string): string {
  return `${applicationId}:${origin}:${id}`;
}

/** A user and a time, for the second duplicate rule. */
export function userTimeText(applicationId: string, serviceUserId: string, time: string): string {
  return `${applicationId}:${serviceUserId}:${time}`;
}

/** A UUID holds 32 hexadecimal digits. */
const DIGITS = 32;

/**
 * The key of such a text: the first 128 bits of SHA-256. The function duplicate_key of the database
 * returns the same. Two of 10^12 keys are equal with a probability of 10^-15.
 */
export function duplicateKey(text: string): string {
  return hash('sha256', text, 'hex').slice(0, DIGITS);
}
