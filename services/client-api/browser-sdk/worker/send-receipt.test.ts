import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  storeReceipt,
  readReceipts,
  writeSettings,
  type Receipt,
} from '../shared/worker-storage.ts';
import { sendReceipt } from './send-receipt.ts';

/** A minimal Cache: responses by path, in insertion order. */
class MemoryCache {
  readonly #answers = new Map<string, Response>();

  keys = () => Promise.resolve([...this.#answers.keys()]);
  match = (path: string) => Promise.resolve(this.#answers.get(path)?.clone());
  matchAll = () => Promise.resolve([...this.#answers.values()].map((answer) => answer.clone()));
  delete = (path: string) => Promise.resolve(this.#answers.delete(path));
  put(path: string, answer: Response) {
    this.#answers.delete(path);
    this.#answers.set(path, answer);
    return Promise.resolve();
  }
}

type Sent = {
  readonly receipts: readonly Receipt[];
  /** The number of stored receipts during each request. */ readonly kept: number;
};
const real = { caches: globalThis.caches, fetch: globalThis.fetch };
let sent: Sent[] = [];
let statuses: number[] = [];

beforeEach(async () => {
  const caches = new Map<string, MemoryCache>();
  sent = [];
  statuses = [];
  Object.assign(globalThis, {
    caches: {
      open(name: string) {
        const cache = caches.get(name) ?? new MemoryCache();
        caches.set(name, cache);
        return Promise.resolve(cache);
      },
    },
    async fetch(_url: string, { body }: { readonly body: string }) {
      const { receipts } = JSON.parse(body) as { readonly receipts: readonly Receipt[] };
      sent.push({ receipts, kept: (await readReceipts()).length });
      return new Response('{}', {
        status: statuses.shift() ?? (receipts.length > 100 ? 400 : 200),
      });
    },
  });
  await writeSettings({
    baseUrl: 'https://tidings.example',
    applicationId: 'a',
    clientKey: 'ck',
    deviceId: 'device',
  });
});
afterEach(() => void Object.assign(globalThis, real));

const receipt = (number: number): Receipt => ({
  deliveryId: `d${number}`,
  event: 'displayed',
  at: number,
});
const kept = async () => (await readReceipts()).map(({ deliveryId }) => deliveryId);
async function keep(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await storeReceipt(receipt(number));
}

test('stored receipts are sent too, oldest first, in requests of the maximum size', async () => {
  await keep(230);

  await sendReceipt(receipt(230));

  expect(sent.map(({ receipts }) => receipts.length)).toEqual([100, 100, 31]);
  expect(sent.flatMap(({ receipts }) => receipts)).toEqual(
    Array.from({ length: 231 }, (_, number) => receipt(number)),
  );
  expect(await kept()).toEqual([]);
});

test('a receipt is stored until the service responds', async () => {
  await keep(120);

  await sendReceipt(receipt(120));

  expect(sent.map((request) => request.kept)).toEqual([121, 21]);
});

test.each([503, 429, 403])(
  'after status %d, this receipt and later ones stay stored',
  async (status) => {
    await keep(150);
    statuses = [200, status];

    await sendReceipt(receipt(150));
    expect(await kept()).toEqual(Array.from({ length: 51 }, (_, number) => `d${number + 100}`));

    await sendReceipt(receipt(150));
    expect([sent.at(-1)?.receipts.length, await kept()]).toEqual([51, []]);
  },
);

test.each([400, 404])(
  'a permanently rejected receipt (%d) does not block others',
  async (status) => {
    await keep(100);
    statuses = [status];

    await sendReceipt(receipt(100));

    expect([sent.length, await kept()]).toEqual([2, []]);
  },
);

test('only the newest thousand are stored', async () => {
  await keep(1_010);

  expect([(await kept()).length, (await kept())[0]]).toEqual([1_000, 'd10']);
});
