import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { lengthenLists } from './support/long-lists.ts';
import { SCREENS, findLayoutFaults, showScreen } from './support/long-screens.ts';
import { openPages, type Answers, type Pages } from './support/pages.ts';

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

const WIDTHS = [360, 480, 720, 768, 820, 900, 960, 1_024, 1_100, 1_280, 1_440] as const;
const NAVIGATED_WIDTHS = [360, 768, 1_024, 1_280] as const;

const visitAt = (width: number, answers: Answers = LONG_ANSWERS) =>
  pages.visit(
    browser,
    { role: 'owner', answers },
    { viewport: { width, height: 800 }, reducedMotion: 'reduce' },
  );

test.each(Object.entries(SCREENS))(
  '%s has no layout faults at any width',
  async (_name, screen) => {
    await using visit = await visitAt(WIDTHS[0]);
    const { page } = visit;
    await visit.open(screen.path);
    await showScreen(page, screen);

    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect({ width, faults: await findLayoutFaults(page) }).toEqual({ width, faults: [] });
    }
  },
);

// A long table renders only visible rows, with fixed column widths.
test.each(Object.entries(SCREENS))(
  '%s with many rows has no layout faults at any width',
  async (_name, screen) => {
    await using visit = await visitAt(WIDTHS[0], lengthenLists(LONG_ANSWERS));
    const { page } = visit;
    await visit.open(screen.path);
    await showScreen(page, screen);

    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect({ width, faults: await findLayoutFaults(page) }).toEqual({ width, faults: [] });
    }
  },
);

test.each(NAVIGATED_WIDTHS)('at %d px an unknown page has a working navigation', async (width) => {
  await using visit = await visitAt(width);
  const { page } = visit;
  await visit.open('/settings/nothing-of-the-kind');
  await page.getByRole('heading', { name: 'Not found', exact: true }).waitFor();

  const navigation = page.getByRole('navigation', { name: 'Main' });
  if (!(await navigation.isVisible()))
    await page.getByRole('button', { name: 'Open navigation' }).click();
  await navigation.getByRole('link', { name: 'Campaigns' }).click();

  await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor();
});
