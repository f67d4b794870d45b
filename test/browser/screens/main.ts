// `npm run screens`: starts its own installation and takes a screenshot of every screen, in four widths, light and dark,
// into .tidings/screens.
// `npm run screens -- report keys`: only screens whose names start with these words.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSetupLink, ROOT_DIR } from '@tidings/local';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { launchChromium } from '../support/chromium.ts';
import {
  acceptOneTimeLink,
  OWNER,
  visitDashboard,
  type SignedIn,
} from '../support/dashboard-visit.ts';
import { prepareScreens } from './prepare.ts';
import { simulateReaders } from './simulate-readers.ts';
import { SIGNED_OUT_SCREENS, listScreens } from './screens.ts';

const SCREENS_DIR = join(ROOT_DIR, '.tidings', 'screens');
const WIDTHS = [1_440, 1_024, 768, 360];
const SCHEMES = ['light', 'dark'] as const;
const SHOWN_WITHIN = { timeout: 60_000 };

const wanted = process.argv.slice(2);
const isWanted = ([name]: readonly [string, string]): boolean =>
  wanted.length === 0 || wanted.some((each) => name.startsWith(each));

const tidings = await startTidings({ name: 'screens', form: 'one-process' });
const browser = await launchChromium();
try {
  const { local } = tidings;
  const signedIn = await acceptOneTimeLink(browser, (await createSetupLink(local)) ?? '', OWNER);
  const shown = await prepareScreens(local);
  await simulateReaders(local, shown.campaignId);
  const inside = Object.entries(listScreens(shown)).filter(isWanted);
  const signedOut = Object.entries(SIGNED_OUT_SCREENS).filter(isWanted);
  mkdirSync(SCREENS_DIR, { recursive: true });
  const takeScreenshots = async (
    screens: readonly (readonly [string, string])[],
    who: SignedIn | null,
  ): Promise<void> => {
    await using visit = await visitDashboard(browser, local.dashboardUrl, {
      ...(who !== null && { signedIn: who }),
      reducedMotion: 'reduce',
    });
    const { page } = visit;
    for (const [name, path] of screens) {
      await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 800 });
      await visit.open(path);
      await page.locator('h1').waitFor(SHOWN_WITHIN);
      await page
        .locator('.skeleton')
        .first()
        .waitFor({ state: 'detached', ...SHOWN_WITHIN });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({
            path: join(SCREENS_DIR, `${name}-${width}-${colorScheme}.png`),
            fullPage: true,
          });
        }
      }
    }
    for (const fault of visit.faults) process.stdout.write(`${fault}\n`);
  };
  await takeScreenshots(inside, signedIn);
  await takeScreenshots(signedOut, null);
  process.stdout.write(
    `${(inside.length + signedOut.length) * WIDTHS.length * SCHEMES.length} screenshots in ${SCREENS_DIR}\n`,
  );
} finally {
  await browser.close();
  await tidings.stop();
}
