import { afterAll, beforeAll, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { openPages, type Pages, type PagesVisit, type Visitor } from './pages.ts';
import type { WindowOptions } from './windows.ts';

const TEST_TIMEOUT_MS = 60_000;

/** The built dashboard in a Chromium, both for the tests of one file. */
export type UsedPages = {
  /** Shows it in a window that no other visit has meanwhile. Only while tests run. */
  visit(who: Visitor, options?: WindowOptions): Promise<PagesVisit>;
};

/** Opens Chromium and the pages before the tests of a file, and closes them after these. */
export function usePages(): UsedPages {
  let browser: Browser | undefined;
  let pages: Pages | undefined;
  jest.setTimeout(TEST_TIMEOUT_MS);
  beforeAll(async () => {
    browser = await launchChromium();
    pages = await openPages(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.[Symbol.asyncDispose]();
  });
  return {
    visit(who, options) {
      if (pages === undefined)
        throw new Error('pages are visited by tests, which run once Chromium is open');
      return pages.visit(who, options);
    },
  };
}
