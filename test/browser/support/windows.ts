import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** An empty page of the same site, in which a window waits for its next visit. */
export const LEFT_PATH = '/left';

export type WindowOptions = BrowserContextOptions & {
  /** For one visit alone: the test adds scripts to its pages, or lets a file of these fail. */
  readonly isOwn?: boolean;
};

export type Window = {
  readonly page: Page;
  /** Ends the visit. The window waits for the next one, without what this one stored. */
  leave(): Promise<void>;
};

/**
 * Windows of a browser. A later visit uses one that an earlier one left, with the files of the pages
 * already loaded and compiled: a third of the CPU of a new window.
 */
export function createWindows(
  browser: Browser,
  siteUrl: string,
): { take(options: WindowOptions): Promise<Window> } {
  const left = new Map<string, Page[]>();
  return {
    async take({ isOwn = false, viewport, reducedMotion, colorScheme, ...others }) {
      const key = JSON.stringify(others);
      const page = isOwn
        ? await openWindow(browser, others)
        : (left.get(key)?.pop() ?? refuseWhatStays(await openWindow(browser, others)));
      await page.setViewportSize(viewport ?? { width: 1_280, height: 800 });
      await page.emulateMedia({
        media: null,
        forcedColors: null,
        reducedMotion: reducedMotion ?? null,
        colorScheme: colorScheme ?? null,
      });
      return {
        page,
        async leave() {
          if (isOwn || page.isClosed()) return page.context().close();
          await clear(page, siteUrl);
          left.set(key, [...(left.get(key) ?? []), page]);
        },
      };
    },
  };
}

async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...options,
  });
  return context.newPage();
}

const STAYS = ['addInitScript', 'exposeBinding', 'exposeFunction'] as const;

/** What a test adds by these cannot be taken away again. */
function refuseWhatStays(page: Page): Page {
  for (const target of [page, page.context()])
    for (const name of STAYS)
      Object.defineProperty(target, name, {
        value() {
          throw new Error(`${name} stays in a window: visit with { isOwn: true }`);
        },
      });
  return page;
}

async function clear(page: Page, siteUrl: string): Promise<void> {
  const context = page.context();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await Promise.all(
    context
      .pages()
      .filter((other) => other !== page)
      .map((other) => other.close()),
  );
  await page.goto(`${siteUrl}${LEFT_PATH}`);
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
}
