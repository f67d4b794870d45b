import type { Access } from './api.ts';

/** What the worker, which has no localStorage, must know to speak for its page. */
export type WorkerSettings = Access & { readonly deviceId: string; readonly vapidPublicKey?: string };
export type ReceiptEvent = 'received' | 'displayed' | 'clicked' | 'dismissed';
export type Receipt = { readonly deliveryId: string; readonly event: ReceiptEvent; readonly at: number; readonly buttonIndex?: number };

/** A cache of the page's origin: the one store that page and worker share without much code. */
const CACHE = 'tidings';
const SETTINGS = '/tidings/settings';
const RECEIPTS = '/tidings/receipts/';

/** Never throws: without a cache there is nothing to keep. */
export async function writeSettings(settings: WorkerSettings): Promise<void> {
  await put(SETTINGS, settings);
}

export async function readSettings(): Promise<WorkerSettings | undefined> {
  return (await withCache(async (cache) => (await cache.match(SETTINGS))?.json())) as WorkerSettings | undefined;
}

/** Kept until somebody has handed it over: the worker when it wakes again, or a page. */
export async function keepReceipt(receipt: Receipt): Promise<void> {
  await put(`${RECEIPTS}${receipt.deliveryId}/${receipt.event}`, receipt);
}

export async function takeReceipts(): Promise<Receipt[]> {
  const taken = await withCache(async (cache) => {
    const keys = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith(RECEIPTS));
    return Promise.all(
      keys.map(async (key) => {
        const receipt = (await (await cache.match(key))?.json()) as Receipt | undefined;
        await cache.delete(key);
        return receipt;
      }),
    );
  });
  return (taken ?? []).filter((receipt) => receipt !== undefined);
}

async function put(path: string, value: unknown): Promise<void> {
  await withCache((cache) => cache.put(path, new Response(JSON.stringify(value))));
}

async function withCache<T>(work: (cache: Cache) => Promise<T>): Promise<T | undefined> {
  try {
    return await work(await caches.open(CACHE));
  } catch {
    return undefined;
  }
}
