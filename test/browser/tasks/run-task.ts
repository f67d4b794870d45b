import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { visitDashboard, type SignedIn } from '../support/dashboard-visit.ts';
import { countPresses } from './presses.ts';
import type { PreparedTask, Scene, Task } from './task.ts';

export type TaskResult = {
  readonly task: Task;
  /** The page on which it began. */
  readonly from: string;
  /** Each click, by the words that were pressed. */
  readonly clicks: readonly string[];
  /** Why its effect was not seen; null: it was. */
  readonly unseen: string | null;
  readonly seconds: number;
};

const LAPTOP = { width: 1_440, height: 900 };
const SHOWN_WITHIN_MS = 30_000;

export const hasFailed = ({ task, clicks, unseen }: TaskResult): boolean =>
  unseen !== null || clicks.length > task.clicksMax;

/** Performs a task in a browser of its own, and counts. `picturesDir` gets the page of one whose effect is unseen. */
export async function runTask(task: Task, options: RunOptions): Promise<TaskResult> {
  try {
    return await performTask(task, await task.prepare(options.scene), options);
  } catch (error) {
    // The others are counted all the same.
    return { task, from: '', clicks: [], unseen: `not begun: ${firstLines(error)}`, seconds: 0 };
  }
}

async function performTask(
  task: Task,
  { from = '/', perform }: PreparedTask,
  { browser, signedIn, scene, picturesDir }: RunOptions,
): Promise<TaskResult> {
  await using visit = await visitDashboard(browser, scene.local.dashboardUrl, {
    signedIn,
    viewport: LAPTOP,
  });
  const { page } = visit;
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  const presses = await countPresses(visit.context);
  await visit.open(from);
  await awaitShown(page);
  presses.begin();
  const startedAt = performance.now();
  const unseen = await perform(page).then(
    () => null,
    async (error: unknown) => {
      mkdirSync(picturesDir, { recursive: true });
      const path = join(picturesDir, `${task.name.replaceAll(/\W+/g, '-')}.png`);
      await page.screenshot({ path, fullPage: true });
      return `${firstLines(error)}\n    ${path}`;
    },
  );
  return {
    task,
    from,
    clicks: [...presses.all],
    unseen: unseen ?? visit.faults[0] ?? null,
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

type RunOptions = {
  readonly browser: Browser;
  readonly signedIn: SignedIn;
  readonly scene: Scene;
  readonly picturesDir: string;
};

async function awaitShown(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** Playwright says first what was awaited, then how often it looked. */
const firstLines = (error: unknown): string => String(error).split('\n').slice(0, 4).join('\n    ');
