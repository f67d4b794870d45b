import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { launchChromium } from './support/chromium.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { openPages, type Pages } from './support/pages.ts';
import { choose } from './support/pickers.ts';

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

test('the setting for optional user tokens warns what every visitor can do', async () => {
  await using visit = await pages.visit(browser, { role: 'owner', answers: LONG_ANSWERS });
  const { page } = visit;
  await visit.open('/settings');
  const card = page.locator('.card', {
    has: page.getByRole('heading', { name: 'Sending, devices and data' }),
  });
  const warning = card.getByText('every visitor of your pages can act as any user');
  await card.getByLabel('User tokens').waitFor();
  expect(await warning.count()).toBe(0);

  await choose(card, 'User tokens', 'Optional – anyone can claim any ID (insecure)');

  await warning.waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});
