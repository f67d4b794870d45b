import type { Browser } from 'playwright-core';
import { injectAxe, seriousFindings } from '../../browser/support/axe.ts';
import {
  visitDashboard,
  type DashboardVisit,
  type SignedIn,
} from '../../browser/support/dashboard-visit.ts';

const PAGES_AT_ONCE = 3;
const SHOWN_WITHIN = { timeout: 60_000 };
const WIDE = { width: 1_280, height: 800 };
const NARROW = { width: 360, height: 700 };

/**
 * Finds problems of each screen, by name: serious accessibility violations in light mode, contrast violations in dark
 * mode, overflow on a narrow screen, script errors, and violations of the content security policy. Loads each screen once.
 */
export async function inspectScreens(
  browser: Browser,
  dashboardUrl: string,
  who: { readonly signedIn: SignedIn | null; readonly screens: Readonly<Record<string, string>> },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const waiting = Object.entries(who.screens);
  const found = new Map<string, readonly string[]>();
  const inspectNext = async (): Promise<void> => {
    await using visit = await visitDashboard(browser, dashboardUrl, {
      ...(who.signedIn !== null && { signedIn: who.signedIn }),
      viewport: WIDE,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      found.set(next[0], await inspect(visit, next[1]).catch((error: unknown) => [String(error)]));
  };
  await Promise.all(Array.from({ length: Math.min(PAGES_AT_ONCE, waiting.length) }, inspectNext));
  return found;
}

async function inspect(visit: DashboardVisit, path: string): Promise<readonly string[]> {
  const { page, faults } = visit;
  const faultsBefore = faults.length;
  await visit.open(path);
  await page.locator('h1').waitFor(SHOWN_WITHIN);
  await page
    .locator('.skeleton')
    .first()
    .waitFor({ state: 'detached', ...SHOWN_WITHIN });
  await injectAxe(page);
  const light = await seriousFindings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await seriousFindings(page, ['color-contrast', 'link-in-text-block']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(NARROW);
  // Tables choose their columns by their measured width.
  const width = await page.evaluate<number>(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => document.documentElement.scrollWidth)',
  );
  await page.setViewportSize(WIDE);
  return [
    ...light,
    ...dark.map((finding) => `in dark: ${finding}`),
    ...(width > NARROW.width ? [`${width} px wide`] : []),
    ...faults.slice(faultsBefore),
  ];
}
