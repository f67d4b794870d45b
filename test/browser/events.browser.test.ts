import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
// `window.tidings`, as a page in TypeScript knows it.
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
afterEach(() => shop.service.refuse(null));
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

const PATIENT = { timeoutMs: 60_000 };
const bought = () =>
  shop.service
    .messages()
    .filter(
      ({ attributes }) =>
        (attributes as { readonly name?: string } | undefined)?.name === 'Lapsang Souchong',
    );

describe('what a page tells', () => {
  test('calls made before the script was there are kept; events carry the device’s own id, and times that differ', async () => {
    await using visit = await shop.visit(browser);

    await visit.page.evaluate(() => {
      for (let count = 0; count < 20; count++) window.tidings.track('burst', { count });
    });

    await eventually(
      () =>
        expect(
          shop.service.messages().filter(({ customName }) => customName === 'burst'),
        ).toHaveLength(20),
      PATIENT,
    );
    const batch = shop.service.batches.find(({ messages }) =>
      messages.some(({ customName }) => customName === 'page_viewed'),
    );
    expect(batch?.serviceUserId).toMatch(/^[0-9a-f-]{36}$/);
    const times = shop.service.messages().map(({ time }) => time);
    expect(new Set(times).size).toBe(times.length);
    expect(visit.errors).toEqual([]);
  });

  test('signing in names the customer by a token; revenue and profile follow under that name, and none of it after signing out', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await page.locator('#customer').fill('grace');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('identified as grace').waitFor();
    await page.getByRole('button', { name: /Buy Gyokuro/ }).click();
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
      PATIENT,
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
    }, PATIENT);
    const before = shop.service.batches.find(
      ({ customUserId, serviceUserId }) => customUserId === 'grace' && serviceUserId !== undefined,
    );
    expect(before?.serviceUserId).toBeDefined();
    expect([after?.customUserId, after?.serviceUserId === before?.serviceUserId]).toEqual([
      undefined,
      false,
    ]);
  });

  test('what happens offline is sent later, across a reload, with the same ids; a refusal for now loses nothing', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await eventually(
      () =>
        expect(shop.service.messages().some(({ customName }) => customName === 'page_viewed')).toBe(
          true,
        ),
      PATIENT,
    );
    shop.service.refuse(503);
    await page.getByRole('button', { name: /Buy Lapsang/ }).click();
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
    shop.service.refuse(null);

    await eventually(() => expect(bought().map(({ id }) => id)).toEqual([waiting?.id]), PATIENT);
    await eventually(async () => expect(await kept()).toEqual([]), PATIENT);
  });

  test('a page works on without storage, and nothing is ever thrown into it', async () => {
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
      PATIENT,
    );
    expect(visit.errors).toEqual([]);
  });
});
