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
// What the last test left unseen would be shown to the visitor of the next.
afterEach(() => shop.service.withdrawOffers());

const PATIENT = { timeoutMs: 30_000 };
const cardOf = (page: Page, deliveryId: string) =>
  page.locator(`[data-tidings="${deliveryId}"] .card:not(.loading)`);
const frameOf = (page: Page, deliveryId: string) =>
  page.frameLocator(`[data-tidings="${deliveryId}"] iframe`);
const identityOf = (page: Page) =>
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
  ])(
    'appears at %s, with its title and HTML, and is told to be displayed',
    async (alignment, isThere) => {
      await using visit = await shop.visit(browser, { viewport: { width: 1_000, height: 700 } });
      const id = shop.service.offer({ title: 'Hello', body: '<p>From <b>here</b></p>', alignment });

      const card = cardOf(visit.page, id);
      await card.waitFor();
      const box = (await card.boundingBox()) ?? { y: 0, height: 0 };

      expect(isThere(box.y, box.y + box.height, 700)).toBe(true);
      expect(await frameOf(visit.page, id).locator('h1').textContent()).toBe('Hello');
      expect(await frameOf(visit.page, id).locator('b').textContent()).toBe('here');
      await eventually(() => expect(shop.service.eventsOf(id)).toEqual(['displayed']), PATIENT);
      expect(visit.errors).toEqual([]);
    },
  );

  test('closes after its duration, not before, and nobody is said to have closed it', async () => {
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
    const id = shop.service.offer({ body: 'Gone soon', duration: 1_500 });

    await eventually(() => expect(shop.service.eventsOf(id)).toContain('displayed'), PATIENT);
    const seen = await eventually(async () => {
      const found = await visit.page.evaluate(
        () => (globalThis as unknown as { seen: { from: number; to: number } }).seen,
      );
      expect(found.to).toBeGreaterThan(0);
      return found;
    }, PATIENT);

    expect(seen.to - seen.from).toBeGreaterThan(1_300);
    expect(seen.to - seen.from).toBeLessThan(4_000);
    expect(shop.service.eventsOf(id)).not.toContain('dismissed');
  });

  test('cannot touch the page: its scripts do not run, it has no origin, and it leads nowhere by itself', async () => {
    await using visit = await shop.visit(browser);
    const body = `<p>Harmless</p><script>parent.document.title='touched'</script><img src=x onerror="parent.document.title='touched'">
      <svg onload="top.location='about:blank'"></svg><a id=bad href="javascript:parent.document.title='touched'">bad</a>
      <meta http-equiv=refresh content="0;url=about:blank"><iframe srcdoc="<script>top.document.title='touched'</script>"></iframe><form action="/x" target=_top><button id=go>go</button></form>`;
    const id = shop.service.offer({ body });
    await cardOf(visit.page, id).waitFor();
    const title = await visit.page.title();

    await frameOf(visit.page, id).locator('#go').click();
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
    await frameOf(visit.page, id).locator('#bad').click();
    await cardOf(visit.page, id).waitFor({ state: 'detached' });

    expect(reached).toEqual(['null', 'SecurityError', 'SecurityError', 'SecurityError', 0]);
    expect([await visit.page.title(), visit.page.url()]).toEqual([title, shop.url]);
  });

  test('a link leads where it says, and the click is counted', async () => {
    await using visit = await shop.visit(browser);
    const id = shop.service.offer({ body: '<a href="/shop/leaf.svg">Look</a>' });
    await cardOf(visit.page, id).waitFor();

    await frameOf(visit.page, id).locator('a').click();
    await visit.page.waitForURL('**/shop/leaf.svg');

    await eventually(
      () => expect(new Set(shop.service.eventsOf(id))).toEqual(new Set(['displayed', 'clicked'])),
      PATIENT,
    );
  });

  test('in the middle it is a dialog: the focus goes in, Escape closes it, and the focus is back where it was', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await page.locator('#subscribe').focus();
    const id = shop.service.offer({ title: 'Asked', body: 'Yes?', alignment: 'CENTER' });
    const card = cardOf(page, id);
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
    await eventually(() => expect(shop.service.eventsOf(id)).toContain('dismissed'), PATIENT);
  });

  test('at the edge it takes no focus, and comes one at a time', async () => {
    await using visit = await shop.visit(browser);
    const { page } = visit;
    await page.locator('#customer').focus();
    const [first, second] = [
      shop.service.offer({ body: 'First' }),
      shop.service.offer({ body: 'Second' }),
    ];
    await cardOf(page, first).waitFor();

    expect(await page.evaluate(() => document.activeElement?.id)).toBe('customer');
    // Nor is the page darkened.
    expect(
      await cardOf(page, first).evaluate(
        (card) => getComputedStyle(card, '::backdrop').backgroundColor,
      ),
    ).toBe('rgba(0, 0, 0, 0)');
    expect(await page.locator('[data-tidings]').count()).toBe(1);
    await page.getByRole('button', { name: 'Close' }).click();
    await cardOf(page, second).waitFor();
    expect(await cardOf(page, first).count()).toBe(0);
  });

  test('while one is open no other is asked for, so that none waits longer in the page than it is the page’s', async () => {
    await using visit = await shop.visit(browser);
    const first = shop.service.offer({ body: 'Open for long' });
    await cardOf(visit.page, first).waitFor();

    await eventually(() => expect(shop.service.streams()).toBe(0), PATIENT);
    const second = shop.service.offer({ body: 'The next' });
    await visit.page.getByRole('button', { name: 'Close' }).click();

    await cardOf(visit.page, second).waitFor();
    await eventually(() => expect(shop.service.eventsOf(second)).toEqual(['displayed']), PATIENT);
  });

  test('right to left, the close button is at the left', async () => {
    await using visit = await shop.visit(browser);
    const id = shop.service.offer({ title: 'مرحبا', body: '<p>الشاي جاهز</p>' });
    const card = cardOf(visit.page, id);
    await card.waitFor();

    const [outer, button] = [await card.boundingBox(), await card.locator('button').boundingBox()];

    expect((button?.x ?? 0) - (outer?.x ?? 0)).toBeLessThan(20);
  });

  test('of several tabs one shows it, once; who was away sees it later, once', async () => {
    const context = await browser.newContext();
    const pages = [await context.newPage(), await context.newPage()];
    await Promise.all(pages.map((page) => page.goto(shop.url)));
    const id = shop.service.offer({ body: 'Only one' });
    await eventually(() => expect(shop.service.eventsOf(id)).toContain('displayed'), PATIENT);
    const counts = await Promise.all(pages.map((page) => page.locator('[data-tidings]').count()));
    await context.setOffline(true);
    await Promise.all(pages.map((page) => page.close()));

    const missed = shop.service.offer({ body: 'While you were away' });
    await context.setOffline(false);
    const page = await context.newPage();
    await page.goto(shop.url);
    await cardOf(page, missed).waitFor();
    await eventually(() => expect(shop.service.eventsOf(missed)).toContain('displayed'), PATIENT);
    await page.reload();
    const last = shop.service.offer({ body: 'The last one' });
    await eventually(() => expect(shop.service.eventsOf(last)).toContain('displayed'), PATIENT);

    expect(counts.toSorted()).toEqual([0, 1]);
    expect(await page.locator('[data-tidings]').count()).toBe(1);
    // A page that is left before it was answered tells it again, of the same moment.
    const displayedAt = shop.service.receipts
      .filter(({ deliveryId, event }) => deliveryId === missed && event === 'displayed')
      .map(({ at }) => at);
    expect(new Set(displayedAt).size).toBe(1);
    await context.close();
  });

  test.each([1, 2, 3])(
    'two tabs of somebody new are one device and one person, and one of them listens, time %d',
    async () => {
      const context = await browser.newContext();
      const pages = [await context.newPage(), await context.newPage()];
      await Promise.all(pages.map((page) => page.goto(shop.url)));

      await eventually(() => expect(shop.service.streams()).toBe(1), PATIENT);
      await eventually(async () => {
        const [known, theirs] = await Promise.all(pages.map(identityOf));
        expect(known).toEqual(theirs);
        expect(shop.service.devices.get(known?.deviceId ?? '')).toMatchObject({
          serviceUserId: known?.serviceUserId,
        });
      }, PATIENT);
      await context.close();
      await eventually(() => expect(shop.service.streams()).toBe(0), PATIENT);
    },
  );

  test('who signs in in one tab is signed in in all: what was for somebody else leaves the screen', async () => {
    const context = await browser.newContext();
    const pages = [await context.newPage(), await context.newPage()];
    for (const page of pages) await page.goto(shop.url);
    const id = shop.service.offer({ body: 'For whoever this was' });
    await eventually(() => expect(shop.service.eventsOf(id)).toContain('displayed'), PATIENT);
    const counts = await Promise.all(pages.map((page) => page.locator('[data-tidings]').count()));
    const [shows, other] = counts[0] === 1 ? pages : pages.toReversed();

    await other?.locator('#sign-in button[type=submit]').click();

    await shows?.locator('[data-tidings]').waitFor({ state: 'detached' });
    const next = shop.service.offer({ body: 'For Ada' });
    await eventually(() => expect(shop.service.eventsOf(next)).toContain('displayed'), PATIENT);
    await context.close();
  });
});
