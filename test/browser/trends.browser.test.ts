import { describe, expect, test } from '@jest/globals';
import type { TrendQuestion } from '@tidings/web/src/api/analytics.ts';
import type { MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { ANALYTICS_ANSWERS, answerTrend } from './support/analytics-answers.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { findLayoutFaults } from './support/long-screens.ts';
import type { Answers } from './support/answer-calls.ts';
import type { PagesVisit } from './support/pages.ts';
import { choose, chosen, picker } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

type Options = { readonly role?: MemberRole; readonly context?: BrowserContextOptions };
const visit = (answers: Answers = {}, { role = 'marketer', context = {} }: Options = {}) =>
  pages.visit({ role, answers: { ...LONG_ANSWERS, ...ANALYTICS_ANSWERS, ...answers } }, context);

/** The last question about present numbers: those of the time before end earlier. */
const asked = ({ calls }: PagesVisit): TrendQuestion =>
  calls
    .filter(({ name }) => name === 'POST trends/result')
    .map(({ body }) => body as TrendQuestion)
    .findLast(({ to }) => to > Date.now() - 3_600_000) as TrendQuestion;
const chart = (page: Page) => page.getByRole('slider', { name: /^Trend of / });
const panel = (page: Page) => page.getByRole('complementary');

test('the first look is the event that happens most, by day, in the zone of the application', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/trends');
  await chart(page).waitFor();

  const { series, step, timeZone, from, to } = asked(opened);
  expect({ series, step, timeZone }).toEqual({
    series: [{ event: 'viewd', measure: 'events' }],
    step: 'day',
    timeZone: 'Asia/Kathmandu',
  });
  // 29 whole days and the present one; midnight is at a quarter past six in the evening, UTC.
  expect(Math.ceil((to - from) / 86_400_000)).toBe(30);
  expect(new Date(from).toISOString()).toMatch(/T18:15:00/);
  await page.getByText('Event time, Asia/Kathmandu', { exact: true }).waitFor();
  await expectAccessible(page);
});

test('the sentence is the question, and the address has all of it', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/trends');
  await chart(page).waitFor();
  await choose(page, 'What is counted of series 1', 'People');
  await page.getByRole('button', { name: '+ Series' }).click();
  await choose(page, 'Event of series 2', 'order_paid');
  await choose(page, 'What is counted of series 2', 'Revenue in EUR');
  await choose(page, 'Per', 'week');
  await choose(page, 'Of whom', 'Gold readers');
  await choose(page, 'Time zone', 'UTC');
  const expected = {
    series: [
      { event: 'viewd', measure: 'users' },
      { event: 'order', measure: { sum: 'EUR' } },
    ],
    step: 'week',
    timeZone: 'UTC',
    segment: 'gold',
  };
  await eventually(async () => expect(asked(opened)).toMatchObject(expected));
  // Weeks begin on Monday.
  expect(new Date(asked(opened).from).getUTCDay()).toBe(1);

  await page.reload();
  await chart(page).waitFor();
  expect(await chosen(page, 'Event of series 2')).toBe('order_paid');
  expect(asked(opened)).toMatchObject(expected);

  await page.getByRole('button', { name: 'Remove series 1' }).click();
  await eventually(async () => expect(asked(opened).series).toEqual([expected.series[1]]));
});

test('a filter is asked once it is written', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/trends');
  await chart(page).waitFor();
  await page.getByRole('button', { name: '+ where' }).click();
  await page.getByRole('combobox', { name: 'Attribute of the event' }).fill('category');
  await page.getByRole('option', { name: /^category/ }).click();
  await eventually(async () =>
    expect(asked(opened).series).toEqual([
      { event: 'viewd', measure: 'events', where: [{ attribute: 'category', is: 'shoes' }] },
    ]),
  );
});

test('a point is found and its people are opened by keys alone', async () => {
  await using opened = await visit({}, { context: { viewport: { width: 1_440, height: 900 } } });
  const { page, calls } = opened;
  await opened.open('/trends');
  await page.locator('.chart canvas').waitFor();
  await chart(page).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.locator('.chart-tip').waitFor();
  await page.keyboard.press('Enter');
  await panel(page)
    .getByRole('link', { name: /Anna Fischer/ })
    .waitFor();

  const listed = calls.findLast(({ name }) => name === 'POST trends/users');
  const { at } = (listed?.body ?? {}) as { readonly at: number };
  expect(at).toBe(asked(opened).from + 28 * 86_400_000);
  const link = panel(page).getByRole('link', { name: 'Write to them' });
  const address = new URL((await link.getAttribute('href')) ?? '', 'http://x');
  expect(JSON.parse(address.searchParams.get('condition') ?? '')).toEqual({
    event: 'viewd',
    from: at,
    to: at + 86_400_000,
  });
  await expectAccessible(page);

  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
  expect(
    await chart(page).evaluate((element) => element === element.ownerDocument.activeElement),
  ).toBe(true);
});

test('groups have their numbers, and each opens its people', async () => {
  await using opened = await visit();
  const { page, calls } = opened;
  await opened.open('/trends');
  await chart(page).waitFor();
  // Of the event, before that of the person.
  await picker(page, 'By').click();
  await page.getByRole('option', { name: 'category', exact: true }).first().click();
  const row = page.getByRole('row', { name: /garden/ });
  await row.getByRole('button').first().click();
  await panel(page).getByRole('link', { name: /Anna/ }).waitFor();

  const people = calls.findLast(({ name }) => name === 'POST trends/users')?.body;
  expect(people).toMatchObject({ breakdown: { attribute: 'category' }, index: 0, group: 'garden' });
  const names = await page
    .getByRole('region', { name: 'Totals' })
    .locator('tbody td:first-child')
    .allInnerTexts();
  expect(names.map((name) => name.trim())).toEqual([
    'All',
    'shoes',
    'garden',
    'ספרים',
    'toys',
    'none',
    '15 others',
  ]);
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /15 others/ })
    .getByRole('button')
    .first()
    .click();
  await eventually(async () =>
    expect(calls.findLast(({ name }) => name === 'POST trends/users')?.body).toMatchObject({
      others: true,
    }),
  );
  expect(await panel(page).getByRole('link', { name: 'Write to them' }).count()).toBe(0);
});

test('the time before is beside it, in the same part of the day, and can be left out', async () => {
  await using opened = await visit();
  const { page, calls } = opened;
  await opened.open('/trends');
  await page.getByText('30 days before').first().waitFor();
  const before = calls
    .filter(({ name }) => name === 'POST trends/result')
    .map(({ body }) => body as TrendQuestion)
    .find(({ to }) => to < Date.now() - 3_600_000);
  const { from, to } = asked(opened);
  expect(before).toMatchObject({ from: from - 30 * 86_400_000, to: to - 30 * 86_400_000 });
  await page.locator('td .rise').first().waitFor();

  await choose(page, 'Beside', 'nothing');
  await page.locator('td .rise').first().waitFor({ state: 'detached' });
});

test('every point is a row of a table', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/trends?range=7d');
  await chart(page).waitFor();
  await page.getByRole('button', { name: 'Table' }).click();
  const rows = page.getByRole('region', { name: 'Points' }).locator('tbody tr');
  expect(await rows.count()).toBe(7);
  expect(await rows.first().innerText()).toContain('so far');
});

describe('what is not there', () => {
  test('an application without events shows what the page will look like, and how to begin', async () => {
    await using opened = await visit({
      'GET definitions': { json: { items: [], nextCursor: null } },
    });
    await opened.open('/trends');
    await opened.page.getByRole('heading', { name: 'No events yet' }).waitFor();
    await expectAccessible(opened.page);
  });

  test('a time without any says so', async () => {
    await using opened = await visit({
      'POST trends/result': (call) => {
        const { json } = answerTrend(call) as {
          json: { series: { points: { value: number }[]; total: number }[] };
        };
        for (const each of json.series) {
          each.total = 0;
          for (const point of each.points) point.value = 0;
        }
        return { json };
      },
    });
    await opened.open('/trends');
    await opened.page.getByRole('heading', { name: 'Nothing in this time' }).waitFor();
  });

  test('a busy service is asked again by a press, a fault of a part stands at it', async () => {
    let tries = 0;
    const problem = { type: 'about:blank', requestId: 'r1' };
    await using opened = await visit({
      'POST trends/result': (call) => {
        tries += 1;
        if (tries === 1)
          return {
            status: 503,
            json: {
              ...problem,
              title: 'Busy',
              status: 503,
              code: 'unavailable',
              detail: 'The question took more than 15 s.',
            },
          };
        if ((call.body as TrendQuestion).segment !== undefined)
          return {
            status: 400,
            json: {
              ...problem,
              title: 'Not valid',
              status: 400,
              code: 'validation_failed',
              errors: [{ pointer: '/segment', code: 'unknown_segment' }],
            },
          };
        return answerTrend(call);
      },
    });
    const { page } = opened;
    await opened.open('/trends');
    await page.getByText('The question took more than 15 s.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await chart(page).waitFor();

    await choose(page, 'Of whom', 'Gold readers');
    await page.locator('.sentence .field-error').waitFor();
    // The last answer stays.
    await chart(page).waitFor();
  });
});

test('who only reads sees the people, and has no way to write to them', async () => {
  await using opened = await visit({}, { role: 'viewer' });
  const { page } = opened;
  await opened.open('/trends');
  await page.getByRole('region', { name: 'Totals' }).getByRole('button').first().click();
  await panel(page).getByRole('link', { name: /Anna/ }).waitFor();
  expect(
    await panel(page)
      .getByRole('link', { name: /Write|Save/ })
      .count(),
  ).toBe(0);
});

/** Names of values that reach into the values. */
const FIND_WIDE_NAMES = `[...document.querySelectorAll('.stacked td[data-name]')].filter((cell) =>
  parseFloat(getComputedStyle(cell, '::before').width) > parseFloat(getComputedStyle(cell).paddingLeft)
).map((cell) => cell.dataset.name)`;

test('on narrow screens long names of series stand beside their numbers', async () => {
  await using opened = await visit({}, { context: { viewport: { width: 900, height: 800 } } });
  const { page } = opened;
  const series = [
    { event: 'viewd', measure: 'events' },
    { event: 'cartd', measure: 'users' },
  ];
  const by = JSON.stringify({ attribute: 'category' });
  await opened.open(
    `/trends?series=${encodeURIComponent(JSON.stringify(series))}&by=${encodeURIComponent(by)}`,
  );
  await page.locator('.stacked td[data-name^="Change of"]').first().waitFor();

  expect(await page.evaluate<readonly string[]>(FIND_WIDE_NAMES)).toEqual([]);
});

test.each([360, 900])('at %d px nothing scrolls sideways', async (width) => {
  await using opened = await visit({}, { context: { viewport: { width, height: 800 } } });
  const { page } = opened;
  await opened.open('/trends?by=%7B%22attribute%22%3A%22category%22%7D');
  await chart(page).waitFor();
  expect(await findLayoutFaults(page)).toEqual([]);
});
