import { beforeAll, expect, test } from '@jest/globals';
import { listPeople } from './support/composing.ts';
import { findLayoutFaults, showScreen } from './support/long-screens.ts';
import type { PagesVisit } from './support/pages.ts';
import { RTL_ANSWERS, RTL_SCREENS } from './support/rtl-answers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
/** One window for all screens: each loads anew in it. */
let visit: PagesVisit;
beforeAll(async () => {
  visit = await pages.visit(
    { role: 'owner', answers: RTL_ANSWERS },
    { viewport: { width: 1_024, height: 800 }, reducedMotion: 'reduce' },
  );
});

/**
 * Finds right-to-left text that is laid out from left to right: its element has the wrong direction, and the text is not
 * isolated inside a label. JSON runs from left to right.
 */
const FIND_WRONG_DIRECTION = `(() => {
  const letters = /[\\u0590-\\u08ff]/;
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const wrong = [];
  for (let node = all.nextNode(); node !== null; node = all.nextNode()) {
    const element = node.parentElement;
    if (!letters.test(node.data) || element.closest('script, pre, code:not([dir])') !== null) continue;
    const isIsolated = [...node.data.matchAll(/[\\u0590-\\u08ff]+/g)].every(({ index }) => node.data.lastIndexOf('\\u2068', index) > node.data.lastIndexOf('\\u2069', index));
    if (getComputedStyle(element).direction !== 'rtl' && !isIsolated) wrong.push(element.tagName + ' ' + element.className + ': ' + node.data.slice(0, 60));
  }
  return wrong;
})()`;

/** Pixels from the side of a cell to the first line of its text. */
const GAPS_BEFORE_VALUES = `[...document.querySelectorAll('[data-name=Value]')].map((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell.querySelector('span, code') ?? cell);
  const lefts = [...text.getClientRects()].map(({ left }) => left);
  return Math.round(Math.min(...lefts) - cell.getBoundingClientRect().left - parseFloat(getComputedStyle(cell).paddingLeft));
})`;

/** Names, labels and titles that begin far from the side of their row, and from what stands beside them. */
const FIND_FAR_FROM_SIDE = `[...document.querySelectorAll('.cut, .grow, bdi')].flatMap((element) => {
  const { direction, display, paddingLeft } = getComputedStyle(element);
  if (direction !== 'rtl' || display.startsWith('inline') || element.closest('.bubble') !== null) return [];
  const text = document.createRange();
  text.selectNodeContents(element);
  const lefts = [...text.getClientRects()].filter(({ width }) => width > 0).map(({ left }) => left);
  const gap = Math.min(...lefts) - element.getBoundingClientRect().left - parseFloat(paddingLeft);
  return lefts.length > 0 && gap > 2 ? [element.className + ': ' + element.textContent.slice(0, 40)] : [];
})`;

test.each(Object.entries(RTL_SCREENS))(
  '%s shows user text in its own direction, without layout faults',
  async (_name, screen) => {
    const { page } = visit;
    await visit.open(screen.path);
    await showScreen(page, screen);

    expect(await page.evaluate<readonly string[]>(FIND_WRONG_DIRECTION)).toEqual([]);
    expect(await page.evaluate<readonly string[]>(FIND_FAR_FROM_SIDE)).toEqual([]);
    expect(await findLayoutFaults(page)).toEqual([]);
  },
);

test('a text of the other direction begins where the others of its column do', async () => {
  const { page } = visit;
  await visit.open(RTL_SCREENS['a user']?.path ?? '');
  const cells = page.getByRole('region', { name: 'Profile fields' }).locator('[data-name=Value]');
  await cells.first().waitFor();

  const gaps = await page.evaluate<readonly number[]>(GAPS_BEFORE_VALUES);
  expect(gaps.length).toBeGreaterThan(3);
  expect(new Set(gaps)).toEqual(new Set([0]));
});

test('an input field takes the direction of its text', async () => {
  const { page } = visit;
  await visit.open('/compose');
  await listPeople(page, 'کاربر');
  const recipients = page.getByRole('textbox', { name: 'Recipients' });

  expect(
    await recipients.evaluate(
      (field) =>
        (
          globalThis as unknown as { getComputedStyle(of: unknown): { readonly direction: string } }
        ).getComputedStyle(field).direction,
    ),
  ).toBe('rtl');
});
