import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { unpackChromium } from './unpack-chromium.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const START_TIMEOUT_MS = 60_000;

/** Launches the Chromium from CHROMIUM_PATH, else an installed one, else the one packaged for Linux on x64. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    timeout: START_TIMEOUT_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

async function findChromium(): Promise<string> {
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const executablePath =
    process.env['CHROMIUM_PATH'] ?? [...onPath, MAC_CHROME].find((path) => existsSync(path));
  if (executablePath !== undefined) return executablePath;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('No Chromium found: install one, or set CHROMIUM_PATH.');
  return unpackChromium();
}
