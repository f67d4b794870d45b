// `npm run screens`: a picture of every screen, wide and narrow, light and dark, in .tidings/screens.
// `npm run screens -- report keys`: only those whose names begin so.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME_DIR, homeLayout, ROOT_DIR, type LocalFile } from '@tidings/local';
import { startTidings } from '../../stack/start-tidings.ts';
import { launchChromium } from '../support/chromium.ts';
import { visitDashboard } from '../support/dashboard-visit.ts';
import { prepareScreens } from './prepare.ts';
import { OUTSIDE_SCREENS, screensOf } from './screens.ts';

const SCREENS_DIR = join(ROOT_DIR, '.tidings', 'screens');
const WIDTHS = [1_280, 360];
const SCHEMES = ['light', 'dark'] as const;
const QUIET_WITHIN_MS = 4_000;

/** The installation that runs here, or one of its own. */
async function open(): Promise<{ readonly local: LocalFile; readonly stop: () => Promise<void> }> {
  try {
    const local = JSON.parse(readFileSync(homeLayout(HOME_DIR).localFile, 'utf8')) as LocalFile;
    return { local, stop: async () => undefined };
  } catch {
    const tidings = await startTidings({ name: 'screens' });
    return { local: tidings.local, stop: () => tidings.stop() };
  }
}

const { local, stop } = await open();
const browser = await launchChromium();
try {
  const wanted = process.argv.slice(2);
  const isWanted = ([name]: readonly [string, string]): boolean => wanted.length === 0 || wanted.some((each) => name.startsWith(each));
  const inside = Object.entries(screensOf(await prepareScreens(local))).filter(isWanted);
  const outside = Object.entries(OUTSIDE_SCREENS).filter(isWanted);
  mkdirSync(SCREENS_DIR, { recursive: true });
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const options = { viewport: { width, height: 800 }, colorScheme };
      await using visit = await visitDashboard(browser, local, options);
      await using stranger = await visitDashboard(browser, { ...local, role: null }, options);
      for (const [name, path, { open: visitPage, page }] of [...inside.map((screen) => [...screen, visit] as const), ...outside.map((screen) => [...screen, stranger] as const)]) {
        await visitPage(path);
        // Streams never end: what a page loads does, within a while.
        await page.locator('h1').waitFor();
        await page.locator('.bone').first().waitFor({ state: 'detached', timeout: QUIET_WITHIN_MS }).catch(() => undefined);
        await page.screenshot({ path: join(SCREENS_DIR, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      for (const fault of [...visit.faults, ...stranger.faults]) process.stdout.write(`${fault}\n`);
    }
  }
  process.stdout.write(`${(inside.length + outside.length) * WIDTHS.length * SCHEMES.length} pictures in ${SCREENS_DIR}\n`);
} finally {
  await browser.close();
  await stop();
}
