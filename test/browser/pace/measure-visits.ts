import type { Page } from 'playwright-core';
import type { DashboardVisit } from '../support/dashboard-visit.ts';

/** An installation with a signed-in browser. */
export type Visited = AsyncDisposable & {
  readonly visit: DashboardVisit;
  /** By the name of the page. */
  readonly paths: Readonly<Record<string, string>>;
};

/** How long each page took, of each installation, by round. */
export type PageTimes = {
  readonly page: string;
  readonly ms: readonly (readonly number[])[];
};

type Options = {
  readonly pages: readonly string[];
  readonly rounds: number;
  readonly note: (text: string) => void;
};

/** Opens each page of each installation, in turn; the first round fills caches and does not count. */
export async function measureVisits(
  visited: readonly Visited[],
  { pages, rounds, note }: Options,
): Promise<readonly PageTimes[]> {
  for (const { visit } of visited) await visit.context.addInitScript(noteWhenShown);
  const times: PageTimes[] = [];
  for (const page of pages) {
    note(`${page} …`);
    const ms = visited.map((): number[] => []);
    for (let round = -1; round < rounds; round += 1) {
      // Each is the first one in every other round.
      const order = round % 2 === 0 ? [...visited.keys()] : [...visited.keys()].toReversed();
      for (const at of order) {
        const took = await measure(visited[at], page);
        if (round >= 0) ms[at]?.push(took);
      }
    }
    times.push({ page, ms });
  }
  return times;
}

async function measure(visited: Visited | undefined, name: string): Promise<number> {
  if (visited === undefined) throw new Error('an installation is visited');
  const { visit, paths } = visited;
  await visit.open(paths[name] ?? '/');
  return untilShown(visit.page);
}

/** A page without a skeleton for this time has all that it loads by itself. */
const SETTLED_MS = 400;
const SHOWN_WITHIN = { timeout: 60_000, polling: 50 };

/** Milliseconds from the navigation until the page has its content and reacts. */
async function untilShown(page: Page): Promise<number> {
  const since = await page.waitForFunction(
    (settledMs) => {
      const shownAt = (globalThis as { shownAt?: number | null }).shownAt ?? null;
      return shownAt !== null && performance.now() - shownAt > settledMs ? shownAt : false;
    },
    SETTLED_MS,
    SHOWN_WITHIN,
  );
  return Number(await since.jsonValue());
}

/**
 * Runs in the page, so it may name nothing outside of it. Looks in each frame that the browser draws: while scripts
 * run, none is drawn, and the page does not react.
 */
function noteWhenShown(): void {
  const page = globalThis as { shownAt?: number | null };
  page.shownAt = null;
  const look = (): void => {
    const isShown =
      document.querySelector('h1') !== null && document.querySelector('.skeleton') === null;
    page.shownAt = isShown ? (page.shownAt ?? performance.now()) : null;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
