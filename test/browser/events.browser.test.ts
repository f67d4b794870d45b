import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
// The type of `window.tidings`.
import type {} from '@tidings/client-api/browser-sdk/tidings.d.ts';
import { eventually } from '@tidings/testing';
import type { Browser } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { openShop, type Shop } from './support/shop.ts';

jest.setTimeout(120_000);
let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  browser = await launchChromium();
  shop = await openShop();
});
afterEach(() => shop.service.failWith(null));
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

const LONG_TIMEOUT = { timeoutMs: 60_000 };
const bought = () =>
  shop.service
    .messages()
    .filter(
      ({ attributes }) =>
        (attributes as { readonly name?: string } | undefined)?.name === 'Lapsang Souchong',
    );

describe('events of a page', () => {
  test('calls made before the script loads are kept; events have the device’s id and distinct times', async () => {
    await using visit = await shop.visit(browser);

    await visit.page.evaluate(() => {
      for (let count = 0; count < 20; count++) window.tidings.track('burst', { count });
    });

    await eventually(
      () =>
        expect(
          shop.service.messages().filter(({ customName }) => customName === 'burst'),
        ).toHaveLength(20),
      LONG_TIMEOUT,
    );
    const batch = shop.service.batches.find(({ messages }) =>
      messages.some(({ customName }) => customName === 'page_viewed'),
    );
    expect(batch?.serviceUserId).toMatch(/^[0-9a-f-]{36}$/);
    const times = shop.service.messages().map(({ time }) => time);
    expect(new Set(times).size).toBe(times.length);
    expect(visit.errors).toEqual([]);
  });

  test('after sign-in with a token, revenue and profile belong to that customer; after sign-out they do not', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await page.locator('#customer').fill('grace');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('identified as grace').waitFor();
    await page.getByRole('button', { name: /^Buy .*Gyokuro/ }).click();
    await eventually(
      () =>
        expect(shop.service.batches).toContainEqual(
          expect.objectContaining({
            customUserId: 'grace',
            messages: expect.arrayContaining([
              expect.objectContaining({ type: 'revenue', revenue: 22, currency: 'EUR' }),
            ]),
          }),
        ),
      LONG_TIMEOUT,
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('signed out').waitFor();

    await page.evaluate(() => window.tidings.track('after_sign_out'));

    const after = await eventually(() => {
      const found = shop.service.batches.find(({ messages }) =>
        messages.some(({ customName }) => customName === 'after_sign_out'),
      );
      expect(found).toBeDefined();
      return found;
    }, LONG_TIMEOUT);
    const before = shop.service.batches.find(
      ({ customUserId, serviceUserId }) => customUserId === 'grace' && serviceUserId !== undefined,
    );
    expect(before?.serviceUserId).toBeDefined();
    expect([after?.customUserId, after?.serviceUserId === before?.serviceUserId]).toEqual([
      undefined,
      false,
    ]);
  });

  test('a visitor who looks at an item, fills a cart and pays goes through the funnel of the demonstration', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await page.getByText('Look closer').first().click();
    await page.getByText('looked at Darjeeling First Flush').waitFor();
    await page.getByRole('button', { name: /^Put into the cart: Darjeeling/ }).click();
    await page.getByRole('button', { name: /^Buy .*Darjeeling/ }).click();

    await eventually(() => {
      const of = shop.service
        .messages()
        .filter(({ revenue, attributes }) =>
          [revenue, (attributes as { readonly price?: number } | undefined)?.price].includes(14.5),
        );
      expect(of.map(({ customName }) => customName)).toEqual([
        'item_viewed',
        'cart_filled',
        'item_bought',
        'order_paid',
      ]);
    }, LONG_TIMEOUT);
    // As those of the history that is sent before.
    expect(
      shop.service.messages().find(({ customName }) => customName === 'item_viewed')?.[
        'attributes'
      ],
    ).toEqual({ name: 'Darjeeling First Flush', category: 'tea', price: 14.5 });
  });

  test('events recorded offline are sent later with the same ids, even after a reload; a 503 loses nothing', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await eventually(
      () =>
        expect(shop.service.messages().some(({ customName }) => customName === 'page_viewed')).toBe(
          true,
        ),
      LONG_TIMEOUT,
    );
    shop.service.failWith(503);
    await page.getByRole('button', { name: /^Buy .*Lapsang/ }).click();
    const kept = () =>
      page.evaluate(() =>
        Object.entries(localStorage)
          .filter(([name]) => name.includes(':out:'))
          .map(
            ([, value]) =>
              (JSON.parse(value) as { message?: { id: string; customName?: string } }).message,
          )
          .filter((message) => message?.customName === 'item_bought'),
      );
    const [waiting] = await kept();
    expect(bought()).toEqual([]);

    await page.reload();
    shop.service.failWith(null);

    await eventually(
      () => expect(bought().map(({ id }) => id)).toEqual([waiting?.id]),
      LONG_TIMEOUT,
    );
    await eventually(async () => expect(await kept()).toEqual([]), LONG_TIMEOUT);
  });

  test('a page keeps working without storage, and the SDK never throws', async () => {
    await using visit = await shop.visit(browser, {
      prepare: (context) =>
        context.addInitScript(() => {
          const forbid = () => {
            throw new Error('forbidden');
          };
          Object.defineProperty(globalThis, 'caches', { get: forbid });
          Object.assign(Storage.prototype, { setItem: forbid });
        }),
    });

    await visit.page.evaluate(() => window.tidings.track('without_storage'));
    const thrown = await visit.page.evaluate(async () => {
      const { tidings } = window;
      const circle: Record<string, unknown> = {};
      circle['self'] = circle;
      const wrong = tidings as unknown as Record<string, (...args: unknown[]) => unknown>;
      try {
        wrong['track']?.(null);
        wrong['track']?.('circle', circle);
        wrong['revenue']?.(undefined, 10n, 7);
        wrong['setUser']?.(circle);
        return [
          await wrong['identify']?.('no token'),
          await wrong['identify']?.(undefined),
          await wrong['init']?.({}),
        ];
      } catch (error) {
        return String(error);
      }
    });

    expect(thrown).toEqual([
      { ok: false, reason: 'invalid_user_token' },
      { ok: false, reason: 'invalid_user_token' },
      { ok: false, reason: 'already_initialised' },
    ]);
    await eventually(
      () =>
        expect(shop.service.messages()).toContainEqual(
          expect.objectContaining({ customName: 'without_storage' }),
        ),
      LONG_TIMEOUT,
    );
    expect(visit.errors).toEqual([]);
  });
});
