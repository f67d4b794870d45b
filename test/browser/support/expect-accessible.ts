import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './axe.ts';

/** Nothing serious is found, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  await injectAxe(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await seriousFindings(page)).toEqual([]);
  }
}
