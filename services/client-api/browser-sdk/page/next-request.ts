import type { Message, Pending, Person } from './outbox.ts';
import type { Receipt } from '../shared/worker-storage.ts';

export type NextRequest = {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
};

const MESSAGES_MAX = 100;
/**
 * Browsers allow 64 KiB of keepalive requests after page unload. Counted in UTF-16 units: non-Latin
 * text can be larger in UTF-8. It then fails on unload and is sent at the next visit.
 */
const SIZE_MAX = 48_000;

export function nextReceipts(
  pending: readonly Pending[],
  deviceId: string,
): NextRequest | undefined {
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
 * A batch of messages of one person, the one with the oldest message. Messages from before this
 * browser had an identity belong to `present`; without one they wait.
 */
export function nextMessages(
  pending: readonly Pending[],
  present: Person,
  messagesMax: number = MESSAGES_MAX,
): NextRequest | undefined {
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
