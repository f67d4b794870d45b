import { field, parseJson } from '../shared/json.ts';
import type { Receipt } from '../shared/worker-storage.ts';
import type { Storage } from './storage.ts';

/** The user of an event, as known when it happened. */
export type Person = {
  readonly customUserId?: string | undefined;
  readonly serviceUserId?: string | undefined;
};
export type Message = {
  readonly type: 'action' | 'revenue' | 'user';
  readonly id: string;
  readonly time: number;
  readonly [field: string]: unknown;
};
export type Item =
  | { readonly person: Person; readonly message: Message }
  | { readonly receipt: Receipt };
export type Pending = { readonly key: string; readonly item: Item; readonly size: number };

export interface Outbox {
  add(at: number, item: Item): void;
  /** Oldest first. */
  pending(): Pending[];
  remove(keys: readonly string[]): void;
}

const PREFIX = 'out:';
/** Beyond this the oldest items are dropped: weeks offline must not fill the browser's storage. */
const ITEMS_MAX = 1_000;
const TIME_DIGITS = 16;

/**
 * Items to send, persistent across reloads. Each item has its own storage key, so that tabs never
 * overwrite each other's items.
 */
export function createOutbox(storage: Storage, itemsMax: number = ITEMS_MAX): Outbox {
  const keys = (): string[] =>
    storage
      .names()
      .filter((name) => name.startsWith(PREFIX))
      .sort();
  return {
    add(at, item) {
      const id =
        'message' in item ? item.message.id : `${item.receipt.deliveryId}/${item.receipt.event}`;
      storage.set(`${PREFIX}${String(at).padStart(TIME_DIGITS, '0')}:${id}`, JSON.stringify(item));
      for (const key of keys().slice(0, -itemsMax)) storage.remove(key);
    },
    pending() {
      return keys().flatMap((key) => {
        const text = storage.get(key) ?? '';
        const item = parseJson(text);
        if (isItem(item)) return [{ key, item, size: text.length }];
        storage.remove(key);
        return [];
      });
    },
    remove: (gone) => gone.forEach((key) => storage.remove(key)),
  };
}

const isItem = (value: unknown): value is Item =>
  (field(value, 'message') ?? field(value, 'receipt')) !== undefined;
