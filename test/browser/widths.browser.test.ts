import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seedsOfRun } from '@tidings/testing';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { lengthenLists } from './support/long-lists.ts';
import { SCREENS, findLayoutFaults, showScreen } from './support/long-screens.ts';
import type { Answers } from './support/answer-calls.ts';
import type { PagesVisit } from './support/pages.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const WIDTHS = [360, 480, 720, 768, 820, 900, 960, 1_024, 1_100, 1_280, 1_440] as const;
const NAVIGATED_WIDTHS = [360, 768, 1_024, 1_280] as const;

/** What acts at an arrow key, or shows another thing in each browser. React Aria has one of its own for assistive technology. */
const NATIVE_FIELDS =
  'select, :is([type=date], [type=time], [type=datetime-local]):not([aria-hidden=true] *)';

const visitAt = (width: number, answers: Answers = LONG_ANSWERS) =>
  pages.visit(
    { role: 'owner', answers },
    { viewport: { width, height: 800 }, reducedMotion: 'reduce' },
  );

const ALL_SCREENS = Object.entries(SCREENS);

// A long table renders only visible rows, with fixed column widths.
describe.each([
  ['with few rows', LONG_ANSWERS, ALL_SCREENS],
  ['with many rows', lengthenLists(LONG_ANSWERS), seedsOfRun(ALL_SCREENS)],
])('%s', (_rows, answers, screens) => {
  // One window for all screens: each loads anew in it.
  let visit: PagesVisit;
  beforeAll(async () => {
    visit = await visitAt(WIDTHS[0], answers);
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
  });

  test.each(screens)('%s has no layout faults at any width', async (_name, screen) => {
    const { page } = visit;
    await page.setViewportSize({ width: WIDTHS[0], height: 800 });
    await visit.open(screen.path);
    await showScreen(page, screen);

    expect(await page.locator(NATIVE_FIELDS).count()).toBe(0);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect({ width, faults: await findLayoutFaults(page) }).toEqual({ width, faults: [] });
    }
  });
});

test.each(NAVIGATED_WIDTHS)('at %d px an unknown page has a working navigation', async (width) => {
  await using visit = await visitAt(width);
  const { page } = visit;
  await visit.open('/settings/nothing-of-the-kind');
  await page.getByRole('heading', { name: 'Not found', exact: true }).waitFor();

  const navigation = page.getByRole('navigation', { name: 'Main' });
  if (!(await navigation.isVisible()))
    await page.getByRole('button', { name: 'Open navigation' }).click();
  await navigation.getByRole('link', { name: 'Campaigns' }).click();

  await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor();
});
