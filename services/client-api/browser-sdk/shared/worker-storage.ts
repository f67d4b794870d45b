import type { Access } from './api.ts';

/** Settings for the worker, which has no localStorage. */
export type WorkerSettings = Access & {
  readonly deviceId: string;
  readonly vapidPublicKey?: string;
};
export type ReceiptEvent = 'received' | 'displayed' | 'clicked' | 'dismissed';
export type Receipt = {
  readonly deliveryId: string;
  readonly event: ReceiptEvent;
  readonly at: number;
  readonly buttonIndex?: number | undefined;
};

/** Cache Storage: the only store that page and worker share without much code. */
const SETTINGS = 'tidings';
const RECEIPTS = 'tidings-receipts';
const SETTINGS_PATH = '/tidings/settings';
/** Beyond this the oldest receipts are dropped. */
const RECEIPTS_MAX = 1_000;

/** Never throws; without Cache Storage nothing is stored. */
export async function writeSettings(settings: WorkerSettings): Promise<void> {
  await withCache(SETTINGS, (cache) => put(cache, SETTINGS_PATH, settings));
}

export async function readSettings(): Promise<WorkerSettings | undefined> {
  return (await withCache(SETTINGS, async (cache) =>
    (await cache.match(SETTINGS_PATH))?.json(),
  )) as WorkerSettings | undefined;
}

/** Stored until `deleteReceipts`: worker and page can be terminated while they send it. */
export async function storeReceipt(receipt: Receipt): Promise<void> {
  await withCache(RECEIPTS, async (cache) => {
    await put(cache, pathOf(receipt), receipt);
    await Promise.all((await cache.keys()).slice(0, -RECEIPTS_MAX).map((key) => cache.delete(key)));
  });
}

/** Returns stored receipts, oldest first. */
export async function readReceipts(): Promise<Receipt[]> {
  return (
    (await withCache(RECEIPTS, async (cache) =>
      Promise.all((await cache.matchAll()).map((kept) => kept.json() as Promise<Receipt>)),
    )) ?? []
  );
}

export async function deleteReceipts(receipts: readonly Receipt[]): Promise<void> {
  await withCache(RECEIPTS, (cache) =>
    Promise.all(receipts.map((receipt) => cache.delete(pathOf(receipt)))),
  );
}

const pathOf = ({ deliveryId, event }: Receipt): string => `/${deliveryId}/${event}`;
const put = (cache: Cache, path: string, value: unknown): Promise<void> =>
  cache.put(path, new Response(JSON.stringify(value)));

async function withCache<T>(
  name: string,
  work: (cache: Cache) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work(await caches.open(name));
  } catch {
    return undefined;
  }
}
