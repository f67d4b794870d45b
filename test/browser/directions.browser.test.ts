import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { findLayoutFaults, showScreen } from './support/long-screens.ts';
import { openPages, type Pages } from './support/pages.ts';
import { RTL_ANSWERS, RTL_SCREENS } from './support/rtl-answers.ts';

jest.setTimeout(60_000);
let browser: Browser;
let pages: Pages;
beforeAll(async () => {
  browser = await launchChromium();
  pages = await openPages();
});
afterAll(async () => {
  await browser?.close();
  await pages?.[Symbol.asyncDispose]();
});

/**
 * Texts with right-to-left letters that are laid out from left to right: neither their element runs in their direction,
 * nor are they isolated in a sentence of ours. JSON runs from left to right.
 */
const WRONG_WAY = `(() => {
  const letters = /[\\u0590-\\u08ff]/;
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const wrong = [];
  for (let node = all.nextNode(); node !== null; node = all.nextNode()) {
    const element = node.parentElement;
    if (!letters.test(node.data) || element.closest('script, pre, code:not([dir])') !== null) continue;
    const isIsolated = [...node.data.matchAll(/[\\u0590-\\u08ff]+/g)].every(({ index }) => node.data.lastIndexOf('\\u2068', index) > node.data.lastIndexOf('\\u2069', index));
    if (getComputedStyle(element).direction !== 'rtl' && !isIsolated) wrong.push(element.tagName + ' ' + element.className + ': ' + node.data.slice(0, 60));
  }
  return wrong;
})()`;

test.each(Object.entries(RTL_SCREENS))(
  'in %s what users wrote runs in its own direction, and all is seen',
  async (_name, screen) => {
    await using visit = await pages.visit(
      browser,
      { role: 'owner', answers: RTL_ANSWERS },
      { viewport: { width: 1_024, height: 800 }, reducedMotion: 'reduce' },
    );
    const { page } = visit;
    await visit.open(screen.path);
    await showScreen(page, screen);

    expect(await page.evaluate<readonly string[]>(WRONG_WAY)).toEqual([]);
    expect(await findLayoutFaults(page)).toEqual([]);
  },
);

test('a field turns with what is typed into it', async () => {
  await using visit = await pages.visit(browser, { role: 'owner', answers: RTL_ANSWERS });
  const { page } = visit;
  await visit.open('/compose');
  const recipients = page.getByRole('textbox', { name: 'Recipients' });
  await recipients.fill('کاربر');

  expect(
    await recipients.evaluate(
      (field) =>
        (
          globalThis as unknown as { getComputedStyle(of: unknown): { readonly direction: string } }
        ).getComputedStyle(field).direction,
    ),
  ).toBe('rtl');
});
