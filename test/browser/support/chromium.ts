import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const START_TIMEOUT_MS = 60_000;

/**
 * A Chromium of this machine, named by CHROMIUM_PATH or found; else the one that a package brings for Linux on x64. The package's
 * flags are for a function of a cloud, where all is one process: `isOneProcess` takes them where such a browser outlives its first
 * context, which it does not on every machine, for there alone headless notifications are shown.
 */
export async function launchChromium({ isOneProcess = false }: { readonly isOneProcess?: boolean } = {}): Promise<Browser> {
  const browser = await launch({ isOneProcess });
  if (!isOneProcess || (await outlivesItsContexts(browser))) return browser;
  await browser.close();
  return launch({ isOneProcess: false });
}

async function launch(which: { readonly isOneProcess: boolean }): Promise<Browser> {
  const { executablePath, args } = await findChromium(which);
  return chromium.launch({ executablePath, headless: true, timeout: START_TIMEOUT_MS, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...args] });
}

async function outlivesItsContexts(browser: Browser): Promise<boolean> {
  try {
    for (let opened = 0; opened < 2; opened += 1) {
      const context = await browser.newContext();
      await context.newPage();
      await context.close();
    }
    return browser.isConnected();
  } catch {
    return false;
  }
}

async function findChromium({ isOneProcess }: { readonly isOneProcess: boolean }): Promise<{ readonly executablePath: string; readonly args: readonly string[] }> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const executablePath = process.env['CHROMIUM_PATH'] ?? [...onPath, MAC_CHROME].find((path) => existsSync(path));
  if (executablePath !== undefined) return { executablePath, args: [] };
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('No Chromium was found: install one, or name it by CHROMIUM_PATH.');
  const { default: packed } = await import('@sparticuz/chromium');
  return { executablePath: await packed.executablePath(), args: isOneProcess ? packed.args.filter((arg) => !arg.startsWith('--headless')) : [] };
}
