import type { Message, Pending, Person } from './outbox.ts';
import type { Receipt } from '../shared/worker-storage.ts';

/** One request's worth of what waits. */
export type Batch = {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
};

const MESSAGES_MAX = 100;
/** A browser lets 64 KiB outlive a page. Counted in UTF-16 units, so a text beyond Latin may be larger: then it is sent in time or next time. */
const SIZE_MAX = 48_000;

/** Receipts, oldest first. */
export function nextReceipts(pending: readonly Pending[], deviceId: string): Batch | undefined {
  const taken = pending
    .flatMap(({ key, item }) => ('receipt' in item ? [{ key, receipt: item.receipt }] : []))
    .slice(0, MESSAGES_MAX);
  if (taken.length === 0) return undefined;
  const receipts: Receipt[] = taken.map(({ receipt }) => receipt);
  return {
    path: '/sdk/v1/receipts',
    body: { deviceId, receipts },
    keys: taken.map(({ key }) => key),
  };
}

/**
 * Messages of the one person whose message is the oldest. What happened before this browser had a name belongs to
 * `present`, the name it was given then; while it has none, that waits.
 */
export function nextMessages(
  pending: readonly Pending[],
  present: Person,
  messagesMax: number = MESSAGES_MAX,
): Batch | undefined {
  let person: Person | undefined;
  let size = 0;
  const keys: string[] = [];
  const messages: Message[] = [];
  for (const { key, item, size: itemSize } of pending) {
    if (!('message' in item)) continue;
    const owner = hasName(item.person) ? item.person : hasName(present) ? present : undefined;
    if (owner === undefined) continue;
    person ??= owner;
    if (!isSame(owner, person)) continue;
    if (messages.length > 0 && (messages.length >= messagesMax || size + itemSize > SIZE_MAX))
      break;
    size += itemSize;
    keys.push(key);
    messages.push(item.message);
  }
  return person && { path: '/', body: { ...person, messages }, keys };
}

const hasName = ({ customUserId, serviceUserId }: Person): boolean =>
  customUserId !== undefined || serviceUserId !== undefined;
const isSame = (one: Person, other: Person): boolean =>
  one.customUserId === other.customUserId && one.serviceUserId === other.serviceUserId;
