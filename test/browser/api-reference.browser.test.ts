import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { launchChromium } from './support/chromium.ts';
import { openDocs, visitDocs } from './support/docs.ts';

jest.setTimeout(60_000);
let browser: Browser;
let docs: Awaited<ReturnType<typeof openDocs>>;
beforeAll(async () => {
  browser = await launchChromium();
  docs = await openDocs();
});
afterAll(async () => {
  await browser?.close();
  await docs?.[Symbol.asyncDispose]();
});

const PATHS = ['', '/api/push', '/api/campaigns', '/api/channels', '/webhooks', '/guides/channels'];
/**
 * All rules, with all parts open, on the largest page take a quarter of a minute. Only colours differ in
 * the dark, and by width what scrolls: there a few parts of each page are looked into.
 */
const SOME_PARTS = 12;
const LOOKS = PATHS.flatMap((path, index) => [
  { path, colorScheme: 'light' as const, width: 1_440, rules: undefined },
  {
    path,
    colorScheme: 'light' as const,
    width: 360,
    // The navigation is one for all pages.
    rules: index < 2 ? undefined : ['color-contrast'],
  },
  { path, colorScheme: 'dark' as const, width: 1_440, rules: ['color-contrast'] },
]);

/** How far a page can be scrolled sideways: wide code and tables scroll by themselves. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test.each(LOOKS)(
  '/docs$path, $colorScheme, $width px: accessible, fits, and asks no other host for anything',
  async ({ path, colorScheme, width, rules }) => {
    await using visit = await visitDocs(browser, docs.url, {
      colorScheme,
      viewport: { width, height: 900 },
    });
    const { page } = visit;
    await page.goto(`${docs.url}/docs${path}`);
    const parts = page.locator('details');
    await parts.evaluateAll((all) => {
      for (const details of all) details.setAttribute('open', '');
    });
    expect(await overflow(page)).toBe(0);
    if (rules !== undefined)
      await parts.evaluateAll((all, some) => {
        for (const details of all.slice(some)) details.removeAttribute('open');
      }, SOME_PARTS);
    await injectAxe(page);

    expect(await seriousFindings(page, rules)).toEqual([]);
    expect([visit.outside, visit.faults]).toEqual([[], []]);
  },
);

test('light and dark have different colours, by the choice of the system', async () => {
  const background = async (colorScheme: 'light' | 'dark'): Promise<string> => {
    await using visit = await visitDocs(browser, docs.url, { colorScheme });
    await visit.page.goto(`${docs.url}/docs`);
    return await visit.page.evaluate(
      () => getComputedStyle(document.documentElement).backgroundColor,
    );
  };

  expect([await background('light'), await background('dark')]).toEqual([
    'rgb(255, 255, 255)',
    'rgb(13, 17, 24)',
  ]);
});

test('the filter finds an operation by a word of its summary or path', async () => {
  await using visit = await visitDocs(browser, docs.url);
  const { page } = visit;
  await page.goto(`${docs.url}/docs`);
  const links = page.locator('.operations a:visible');
  const all = await links.count();

  await page.getByLabel('Filter by path or words').fill('post push');

  expect(all).toBeGreaterThan(90);
  expect(await links.first().innerText()).toMatch(/POST\s+\/push/);
  expect(await links.count()).toBeLessThan(all / 4);
  expect(await page.getByRole('status').innerText()).toBe(`${await links.count()} operations`);

  await links.first().click();
  await page.waitForURL('**/docs/api/push#send');
  expect(await page.locator('#send').isVisible()).toBe(true);
});

test('a sample is copied as it is shown', async () => {
  await using visit = await visitDocs(browser, docs.url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = visit;
  await page.goto(`${docs.url}/docs/api/push`);
  const sample = page.locator('#send .sample').first();

  await sample.getByRole('button', { name: 'Copy' }).click();
  await sample.getByRole('button', { name: 'Copied' }).waitFor();

  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    await sample.locator('pre').innerText(),
  );
});

test('by keyboard: the first stop skips to the content', async () => {
  await using visit = await visitDocs(browser, docs.url);
  const { page } = visit;
  await page.goto(`${docs.url}/docs`);

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');

  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
});

test('without scripts everything is there', async () => {
  await using visit = await visitDocs(browser, docs.url, { javaScriptEnabled: false });
  const { page } = visit;
  await page.goto(`${docs.url}/docs/api/push`);

  expect(await page.locator('#send .sample pre').first().innerText()).toContain(
    'curl -s "$URL/push"',
  );
  expect(await page.getByRole('navigation', { name: 'Documentation' }).isVisible()).toBe(true);
});
