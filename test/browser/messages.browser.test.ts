import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { openShop, type Shop } from './support/shop.ts';

jest.setTimeout(120_000);
let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  browser = await launchChromium();
  shop = await openShop();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});
// A message left unseen by one test would be shown in the next.
afterEach(() => shop.service.clearMessages());

const LONG_TIMEOUT = { timeoutMs: 30_000 };
const findCard = (page: Page, deliveryId: string) =>
  page.locator(`[data-tidings="${deliveryId}"] .card:not(.loading)`);
const findFrame = (page: Page, deliveryId: string) =>
  page.frameLocator(`[data-tidings="${deliveryId}"] iframe`);
const readIdentity = (page: Page) =>
  page.evaluate(
    () =>
      JSON.parse(
        Object.entries(localStorage).find(([name]) => name.endsWith(':identity'))?.[1] ?? '{}',
      ) as { readonly deviceId: string; readonly serviceUserId: string },
  );

describe('a message on the page', () => {
  test.each([
    ['TOP', (top: number, bottom: number, height: number) => top < 40 && bottom < height / 2],
    [
      'CENTER',
      (top: number, bottom: number, height: number) =>
        Math.abs((top + bottom) / 2 - height / 2) < 3,
    ],
    [
      'BOTTOM',
      (top: number, bottom: number, height: number) => height - bottom < 40 && top > height / 2,
    ],
  ])('appears at %s with its title and HTML, and reports displayed', async (alignment, isThere) => {
    await using visit = await shop.visit(browser, { viewport: { width: 1_000, height: 700 } });
    const id = shop.service.queueMessage({
      title: 'Hello',
      body: '<p>From <b>here</b></p>',
      alignment,
    });

    const card = findCard(visit.page, id);
    await card.waitFor();
    const box = (await card.boundingBox()) ?? { y: 0, height: 0 };

    expect(isThere(box.y, box.y + box.height, 700)).toBe(true);
    expect(await findFrame(visit.page, id).locator('h1').textContent()).toBe('Hello');
    expect(await findFrame(visit.page, id).locator('b').textContent()).toBe('here');
    await eventually(
      () => expect(shop.service.reportedEvents(id)).toEqual(['displayed']),
      LONG_TIMEOUT,
    );
    expect(visit.errors).toEqual([]);
  });

  test('closes after its duration, not earlier, and does not report dismissed', async () => {
    await using visit = await shop.visit(browser);
    await visit.page.evaluate(() => {
      const seen = { from: 0, to: 0 };
      Object.assign(globalThis, { seen });
      new MutationObserver(() => {
        const card = document.querySelector('[data-tidings]');
        if (card === null && seen.from > 0) seen.to ||= performance.now();
      }).observe(document.body, { childList: true });
      const look = (): void => {
        if (
          document.querySelector('[data-tidings]')?.shadowRoot?.querySelector('.card:not(.loading)')
        )
          seen.from ||= performance.now();
        requestAnimationFrame(look);
      };
      look();
    });
    const id = shop.service.queueMessage({ body: 'Gone soon', duration: 1_500 });

    await eventually(
      () => expect(shop.service.reportedEvents(id)).toContain('displayed'),
      LONG_TIMEOUT,
    );
    const seen = await eventually(async () => {
      const found = await visit.page.evaluate(
        () => (globalThis as unknown as { seen: { from: number; to: number } }).seen,
      );
      expect(found.to).toBeGreaterThan(0);
      return found;
    }, LONG_TIMEOUT);

    expect(seen.to - seen.from).toBeGreaterThan(1_300);
    expect(seen.to - seen.from).toBeLessThan(4_000);
    expect(shop.service.reportedEvents(id)).not.toContain('dismissed');
  });

  test('cannot access the page: its scripts do not run, its origin is opaque, and it cannot navigate', async () => {
    await using visit = await shop.visit(browser);
    const body = `<p>Harmless</p><script>parent.document.title='touched'</script><img src=x onerror="parent.document.title='touched'">
      <svg onload="top.location='about:blank'"></svg><a id=bad href="javascript:parent.document.title='touched'">bad</a>
      <meta http-equiv=refresh content="0;url=about:blank"><iframe srcdoc="<script>top.document.title='touched'</script>"></iframe><form action="/x" target=_top><button id=go>go</button></form>`;
    const id = shop.service.queueMessage({ body });
    await findCard(visit.page, id).waitFor();
    const title = await visit.page.title();

    await findFrame(visit.page, id).locator('#go').click();
    const inside = visit.page.frames().find((frame) => frame.url().includes('/sdk/v1/frame.html'));
    const reached = await inside?.evaluate(() => {
      const tried = (work: () => unknown): string => {
        try {
          return String(work());
        } catch (error) {
          return (error as Error).name;
        }
      };
      return [
        self.origin,
        tried(() => parent.document.title),
        tried(() => localStorage.length),
        tried(() => document.cookie),
        document.querySelectorAll('script:not(body>script),iframe,meta[http-equiv]').length,
      ];
    });
    await findFrame(visit.page, id).locator('#bad').click();
    await findCard(visit.page, id).waitFor({ state: 'detached' });

    expect(reached).toEqual(['null', 'SecurityError', 'SecurityError', 'SecurityError', 0]);
    expect([await visit.page.title(), visit.page.url()]).toEqual([title, shop.url]);
  });

  test('a link navigates the page, and the click is counted', async () => {
    await using visit = await shop.visit(browser);
    const id = shop.service.queueMessage({ body: '<a href="/shop/leaf.svg">Look</a>' });
    await findCard(visit.page, id).waitFor();

    await findFrame(visit.page, id).locator('a').click();
    await visit.page.waitForURL('**/shop/leaf.svg');

    await eventually(
      () =>
        expect(new Set(shop.service.reportedEvents(id))).toEqual(new Set(['displayed', 'clicked'])),
      LONG_TIMEOUT,
    );
  });

  test('in the center it is a dialog: it takes the focus, closes on Escape and restores the focus', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await page.locator('#subscribe').focus();
    const id = shop.service.queueMessage({ title: 'Asked', body: 'Yes?', alignment: 'CENTER' });
    const card = findCard(page, id);
    await card.waitFor();
    const focused = () =>
      page.evaluate(() => [
        document.activeElement?.id ?? '',
        document.activeElement?.shadowRoot?.activeElement?.tagName ?? '',
      ]);

    expect([
      await card.getAttribute('role'),
      await card.getAttribute('aria-label'),
      await focused(),
    ]).toEqual(['dialog', 'Asked', ['', 'BUTTON']]);
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });

    expect((await focused())[0]).toBe('subscribe');
    await eventually(
      () => expect(shop.service.reportedEvents(id)).toContain('dismissed'),
      LONG_TIMEOUT,
    );
  });

  test('at the edge it takes no focus, and messages appear one at a time', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await page.locator('#customer').focus();
    const [first, second] = [
      shop.service.queueMessage({ body: 'First' }),
      shop.service.queueMessage({ body: 'Second' }),
    ];
    await findCard(page, first).waitFor();

    expect(await page.evaluate(() => document.activeElement?.id)).toBe('customer');
    // The page is not dimmed either.
    expect(
      await findCard(page, first).evaluate(
        (card) => getComputedStyle(card, '::backdrop').backgroundColor,
      ),
    ).toBe('rgba(0, 0, 0, 0)');
    expect(await page.locator('[data-tidings]').count()).toBe(1);
    await page.getByRole('button', { name: 'Close' }).click();
    await findCard(page, second).waitFor();
    expect(await findCard(page, first).count()).toBe(0);
  });

  test('while a message is open no other is requested, so that no lease expires in the page', async () => {
    await using visit = await shop.visit(browser);
    const first = shop.service.queueMessage({ body: 'Open for long' });
    await findCard(visit.page, first).waitFor();

    await eventually(() => expect(shop.service.streams()).toBe(0), LONG_TIMEOUT);
    const second = shop.service.queueMessage({ body: 'The next' });
    await visit.page.getByRole('button', { name: 'Close' }).click();

    await findCard(visit.page, second).waitFor();
    await eventually(
      () => expect(shop.service.reportedEvents(second)).toEqual(['displayed']),
      LONG_TIMEOUT,
    );
  });

  test('with right-to-left text, the close button is on the left', async () => {
    await using visit = await shop.visit(browser);
    const id = shop.service.queueMessage({ title: 'مرحبا', body: '<p>الشاي جاهز</p>' });
    const card = findCard(visit.page, id);
    await card.waitFor();

    const [outer, button] = [await card.boundingBox(), await card.locator('button').boundingBox()];

    expect((button?.x ?? 0) - (outer?.x ?? 0)).toBeLessThan(20);
  });

  test('only one of several tabs shows it, once; a visitor who was away sees it once, later', async () => {
    const context = await browser.newContext();
    const pages = [await context.newPage(), await context.newPage()];
    await Promise.all(pages.map((page) => page.goto(shop.url)));
    const id = shop.service.queueMessage({ body: 'Only one' });
    await eventually(
      () => expect(shop.service.reportedEvents(id)).toContain('displayed'),
      LONG_TIMEOUT,
    );
    const counts = await Promise.all(pages.map((page) => page.locator('[data-tidings]').count()));
    await context.setOffline(true);
    await Promise.all(pages.map((page) => page.close()));

    const missed = shop.service.queueMessage({ body: 'While you were away' });
    await context.setOffline(false);
    const page = await context.newPage();
    await page.goto(shop.url);
    await findCard(page, missed).waitFor();
    await eventually(
      () => expect(shop.service.reportedEvents(missed)).toContain('displayed'),
      LONG_TIMEOUT,
    );
    await page.reload();
    const last = shop.service.queueMessage({ body: 'The last one' });
    await eventually(
      () => expect(shop.service.reportedEvents(last)).toContain('displayed'),
      LONG_TIMEOUT,
    );

    expect(counts.toSorted()).toEqual([0, 1]);
    expect(await page.locator('[data-tidings]').count()).toBe(1);
    // A page that closes before the response arrives reports again, with the same time.
    const displayedAt = shop.service.receipts
      .filter(({ deliveryId, event }) => deliveryId === missed && event === 'displayed')
      .map(({ at }) => at);
    expect(new Set(displayedAt).size).toBe(1);
    await context.close();
  });

  test.each([1, 2, 3])(
    'two tabs of a new visitor share one device and one user, and only one opens a stream, run %d',
    async () => {
      const context = await browser.newContext();
      const pages = [await context.newPage(), await context.newPage()];
      await Promise.all(pages.map((page) => page.goto(shop.url)));

      await eventually(() => expect(shop.service.streams()).toBe(1), LONG_TIMEOUT);
      await eventually(async () => {
        const [known, theirs] = await Promise.all(pages.map(readIdentity));
        expect(known).toEqual(theirs);
        expect(shop.service.devices.get(known?.deviceId ?? '')).toMatchObject({
          serviceUserId: known?.serviceUserId,
        });
      }, LONG_TIMEOUT);
      await context.close();
      await eventually(() => expect(shop.service.streams()).toBe(0), LONG_TIMEOUT);
    },
  );

  test('signing in in one tab applies to all: messages for the previous user disappear', async () => {
    const context = await browser.newContext();
    const pages = [await context.newPage(), await context.newPage()];
    for (const page of pages) await page.goto(shop.url);
    const id = shop.service.queueMessage({ body: 'For the anonymous user' });
    await eventually(
      () => expect(shop.service.reportedEvents(id)).toContain('displayed'),
      LONG_TIMEOUT,
    );
    const counts = await Promise.all(pages.map((page) => page.locator('[data-tidings]').count()));
    const [shows, other] = counts[0] === 1 ? pages : pages.toReversed();

    await other?.locator('#sign-in button[type=submit]').click();

    await shows?.locator('[data-tidings]').waitFor({ state: 'detached' });
    const next = shop.service.queueMessage({ body: 'For Ada' });
    await eventually(
      () => expect(shop.service.reportedEvents(next)).toContain('displayed'),
      LONG_TIMEOUT,
    );
    await context.close();
  });
});
