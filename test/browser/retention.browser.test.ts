import { expect, test } from '@jest/globals';
import type { RetentionQuestion } from '@tidings/web/src/api/analytics.ts';
import { eventually } from '@tidings/testing';
import type { BrowserContextOptions } from 'playwright-core';
import { ANALYTICS_ANSWERS } from './support/analytics-answers.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import type { Answers } from './support/answer-calls.ts';
import type { PagesVisit } from './support/pages.ts';
import { choose } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
const WEEK_MS = 7 * 86_400_000;

const visit = (answers: Answers = {}, context: BrowserContextOptions = {}) =>
  pages.visit(
    { role: 'marketer', answers: { ...LONG_ANSWERS, ...ANALYTICS_ANSWERS, ...answers } },
    context,
  );
const asked = ({ calls }: PagesVisit): RetentionQuestion =>
  calls.findLast(({ name }) => name === 'POST retention/result')?.body as RetentionQuestion;
const people = ({ calls }: PagesVisit): unknown =>
  calls.findLast(({ name }) => name === 'POST retention/users')?.body;

test('cohorts of twelve weeks have numbers, marks for what is not over, and nothing where it has not begun', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/retention');
  const rows = page.getByRole('table').locator('tbody tr');
  await rows.first().waitFor();

  const { start, return: back, period, periods, from } = asked(opened);
  expect({ start, back, period, periods }).toEqual({
    start: { event: 'viewd' },
    back: { event: 'viewd' },
    period: 'week',
    periods: 9,
  });
  expect(await rows.count()).toBe(13);
  const last = rows.last();
  expect(await last.innerText()).toContain('so far');
  expect(await last.locator('.cohort-cell').count()).toBe(1);
  expect(await last.locator('.cohort-cell.partial').count()).toBe(1);
  expect(await rows.nth(1).locator('.cohort-cell').count()).toBe(9);
  expect(from % 1_000).toBe(0);
  await expectAccessible(page);
});

test('the sentence asks, and the address has all of it', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/retention');
  await page.getByRole('table').waitFor();
  await choose(page, 'Event of those who come back', 'order_paid');
  await choose(page, 'Which first time', 'for the first time ever');
  await choose(page, 'By', 'month');
  await choose(page, 'Counted', 'in that month or later');
  const expected = {
    start: { event: 'viewd' },
    return: { event: 'order' },
    first: 'ever',
    period: 'month',
    periods: 7,
    unbounded: true,
  };
  await eventually(async () => expect(asked(opened)).toMatchObject(expected));
  await page.reload();
  await page.getByRole('table').waitFor();
  expect(asked(opened)).toMatchObject(expected);
});

/** Texts below the curve that reach into the next one. */
const FIND_TICKS_TOO_NEAR = `(() => {
  const all = [...document.querySelectorAll('.curve-axis > *')]
    .map((tick) => ({ text: tick.textContent, ...tick.getBoundingClientRect().toJSON() }))
    .filter(({ width }) => width > 0)
    .sort((one, other) => one.left - other.left);
  return all.flatMap(({ text, right }, at) => all[at + 1]?.left < right + 4 ? [text + ' ' + all[at + 1].text] : []);
})()`;

test.each([360, 700, 1_440])(
  'at %d px what is written below the curve does not overlap, also beside a panel',
  async (width) => {
    await using opened = await visit({}, { viewport: { width, height: 900 } });
    const { page } = opened;
    await opened.open('/retention');
    await page.locator('.curve-axis').waitFor();
    expect(await page.evaluate<readonly string[]>(FIND_TICKS_TOO_NEAR)).toEqual([]);

    await page.locator('tbody .cohort-cell[data-cell], tbody button.cohort-cell').first().click();
    await page.getByRole('complementary').getByRole('link', { name: /Anna/ }).waitFor();
    expect(await page.evaluate<readonly string[]>(FIND_TICKS_TOO_NEAR)).toEqual([]);
  },
);

test('cells are gone through by arrows, say what they are, and open their people', async () => {
  await using opened = await visit({}, { viewport: { width: 1_440, height: 900 } });
  const { page } = opened;
  await opened.open('/retention');
  const table = page.getByRole('table');
  const first = table.locator('tbody tr').nth(1).locator('.cohort-cell').first();
  await first.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.locator('.cell-tip').getByText('2 weeks later').waitFor();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary');
  await panel.getByRole('link', { name: /Anna/ }).waitFor();

  const { from } = asked(opened);
  const cohort = from + WEEK_MS;
  expect(people(opened)).toMatchObject({ cohort, cell: 2 });
  const href = await panel.getByRole('link', { name: 'Save as segment' }).getAttribute('href');
  expect(JSON.parse(new URL(href ?? '', 'http://x').searchParams.get('condition') ?? '')).toEqual({
    all: [
      { event: 'viewd', from: cohort, to: cohort + WEEK_MS },
      { not: { event: 'viewd', from, to: cohort } },
      { event: 'viewd', from: cohort + 2 * WEEK_MS, to: cohort + 3 * WEEK_MS },
    ],
  });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  // No segment says who came back in the week of the start: its people are listed, not written to.
  await first.click();
  await panel.getByRole('link', { name: /Anna/ }).waitFor();
  expect(await panel.getByRole('link', { name: /Write|Save/ }).count()).toBe(0);
  await page.keyboard.press('Escape');

  await table.locator('tbody tr').nth(1).getByRole('button').first().click();
  await panel.getByRole('link', { name: 'Write to them' }).waitFor();
  expect(people(opened)).not.toHaveProperty('cell');
});

test('shares become numbers of people', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/retention');
  const cell = page.getByRole('table').locator('tbody tr').nth(1).locator('.cohort-cell').nth(1);
  const share = await cell.innerText();
  expect(share).toMatch(/^\d+\.\d$/);
  await page.getByRole('button', { name: 'People', exact: true }).click();
  await eventually(async () => expect(await cell.innerText()).toMatch(/^\d+$/));
});

test('a time in which no one began says so', async () => {
  await using opened = await visit({
    'POST retention/result': {
      json: {
        timeZone: 'UTC',
        cohorts: [{ at: 1, users: 0, returned: [0], isPartial: [false] }],
        partialFrom: null,
        warnings: [],
        asOf: 1,
        tookMs: 1,
      },
    },
  });
  await opened.open('/retention');
  await opened.page.getByRole('heading', { name: 'No one began in this time' }).waitFor();
});

test.each([360, 900])(
  'at %d px the page does not scroll sideways, the table does',
  async (width) => {
    await using opened = await visit({}, { viewport: { width, height: 800 } });
    const { page } = opened;
    await opened.open('/retention');
    await page.getByRole('table').waitFor();
    expect(
      await page.evaluate<boolean>(
        'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
      ),
    ).toBe(true);
  },
);
