import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign } from './support/campaigns.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { lengthenLists } from './support/long-lists.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const LAPTOP = { width: 1_440, height: 900 };
const FIRST_ROW_PX_MAX = 230;
const WHOLE_ROWS_MIN = 14;
const FILLED = lengthenLists(LONG_ANSWERS);

const visit = (answers: Answers = FILLED) =>
  pages.visit(
    { role: 'owner', answers },
    { viewport: LAPTOP, reducedMotion: 'reduce', locale: 'en-US' },
  );

const LISTS = [
  '/campaigns',
  '/users',
  '/segments',
  '/funnels',
  '/templates',
  '/events',
  '/ingest',
] as const;

describe.each(LISTS)('the list %s', (path) => {
  test('begins high, and shows many rows of one line', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open(path);
    await page.locator('tbody tr.clickable').first().waitFor();

    const rows = await page.locator('tbody tr.clickable').evaluateAll((all) =>
      all.map((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return { top, bottom, height: bottom - top };
      }),
    );
    const foot = await page.locator('.table-foot').evaluate((each) => each.getBoundingClientRect());

    expect(rows[0]?.top).toBeLessThanOrEqual(FIRST_ROW_PX_MAX);
    expect(
      rows.filter(({ bottom }) => bottom <= Math.min(foot.top, LAPTOP.height)).length,
    ).toBeGreaterThanOrEqual(WHOLE_ROWS_MIN);
    expect(Math.max(...rows.map(({ height }) => height))).toBeLessThanOrEqual(42);
  });

  test('keeps its head in sight while the page scrolls', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open(path);
    await page.locator('tbody tr.clickable').first().waitFor();
    await page.mouse.move(900, 500);
    await page.mouse.wheel(0, 600);
    await page.waitForFunction(() => scrollY >= 300);

    expect(
      await page
        .locator('.listing .table-box[role=region] thead th')
        .first()
        .evaluate((th) => th.getBoundingClientRect().top),
    ).toBe(0);
  });

  test('is gone through by keys', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open(path);
    await page.locator('tbody tr.clickable').first().waitFor();

    await page.keyboard.press('j');
    expect(await focusedRow(page)).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    expect(await focusedRow(page)).toBe(2);
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowUp');
    expect(await focusedRow(page)).toBe(0);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith(path));
  });
});

const focusedRow = (page: Page) =>
  page
    .locator('tbody tr.clickable')
    .evaluateAll((rows) => rows.findIndex((row) => row.contains(document.activeElement)));

test('no select of a list acts on a change', async () => {
  await using opened = await visit();
  for (const path of [...LISTS, '/channels', '/settings/members', '/settings/audit']) {
    await opened.open(path);
    await opened.page.locator('.table-box[role=region] td').first().waitFor();
    expect({ path, selects: await opened.page.locator('main select').count() }).toEqual({
      path,
      selects: 0,
    });
  }
});

test('a filter acts on Enter alone, and stands in the address', async () => {
  await using opened = await visit();
  const { page, calls } = opened;
  await opened.open('/campaigns');
  await page.locator('tbody tr.clickable').first().waitFor();

  await page.getByRole('button', { name: 'Channel: All channels' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  expect(calls.some(({ query }) => 'channel' in query)).toBe(false);
  await page.keyboard.press('Enter');

  await page.getByRole('button', { name: 'Channel: Web push' }).waitFor();
  expect(new URL(page.url()).searchParams.get('channel')).toBe('WEB_PUSH');
  expect(calls.findLast(({ name }) => name === 'GET campaigns')?.query['channel']).toBe('WEB_PUSH');
});

test('a campaign that sent nothing yet says why instead of figures', async () => {
  const campaigns = [
    buildCampaign({ status: 'canceled', counts: { canceled: 4 } }),
    buildCampaign({ counts: {}, failures: { no_address: 137 } }),
  ];
  await using opened = await visit({
    'GET campaigns': { json: { items: campaigns, nextCursor: null } },
  });
  await opened.open('/campaigns');
  await opened.page.locator('td.note').first().waitFor();

  expect(await opened.page.locator('td.note').allTextContents()).toEqual([
    'Canceled before anything was sent',
    '137 could not be reached',
  ]);
});
