import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const CAMPAIGN_ID = '0196f0a1-5b1e-7000-8000-0000000000aa';
const found = (...items: readonly object[]) => ({ json: { items, incomplete: [] } });
const USER = { kind: 'user', id: 'ada-1', title: 'عایشه رضایی', detail: 'ada@shop.example' };
const CAMPAIGN = {
  kind: 'campaign',
  id: CAMPAIGN_ID,
  title: 'Autumn catalogue',
  detail: null,
  channel: 'EMAIL',
  status: 'completed',
  source: 'dashboard',
  createdAt: 0,
};

const visit = (answers: Answers = {}, role: 'owner' | 'viewer' = 'owner') =>
  pages.visit({ role, answers: { ...LONG_ANSWERS, ...answers } });

async function openSearch(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
}

test('people and campaigns are found while the text is written, and Enter opens the chosen one', async () => {
  await using opened = await visit({ 'GET search': found(USER, CAMPAIGN) });
  const { page, calls } = opened;
  await opened.open('/users');
  await openSearch(page);
  await page.keyboard.type('au');
  await page.getByRole('option', { name: /Autumn catalogue/ }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);

  expect(await page.getByRole('option', { selected: true }).textContent()).toContain('عایشه رضایی');
  await page.keyboard.press('ArrowDown');
  expect(page.url()).toMatch(/\/users$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/campaigns/${CAMPAIGN_ID}$`));
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(calls.findLast(({ name }) => name === 'GET search')?.query['q']).toBe('au');
});

test('Enter opens what is found first also when it is pressed before the answer is there', async () => {
  const { promise: asked, resolve: answerNow } = Promise.withResolvers<void>();
  await using opened = await visit({ 'GET search': found(CAMPAIGN) });
  const { page } = opened;
  await page.route('**/api/v1/search?*', async (route) => {
    await asked;
    await route.fallback();
  });
  await opened.open('/users');
  await openSearch(page);
  await page.keyboard.insertText('autumn catalogue');
  await page.keyboard.press('Enter');
  await page.getByText('Searching…').waitFor();
  expect(page.url()).toMatch(/\/users$/);
  answerNow();

  await page.waitForURL(new RegExp(`/campaigns/${CAMPAIGN_ID}$`));
});

test.each([
  [
    {
      kind: 'delivery',
      id: 'd-1',
      title: 'ada-1',
      detail: 'Autumn catalogue',
      campaignId: CAMPAIGN_ID,
      customUserId: 'ada-1',
      channel: 'EMAIL',
      status: 'successful',
      createdAt: 0,
    },
    `/campaigns/${CAMPAIGN_ID}?tab=recipients&customUserId=ada-1`,
  ],
  [
    { kind: 'request', id: 'r-1', title: 'r-1', detail: null, outcome: 'rejected', messages: null },
    '/ingest?requestId=r-1',
  ],
  [
    {
      kind: 'message',
      id: 'm-1',
      title: 'item_viewed',
      detail: 'ada-1',
      requestId: 'r-2',
      index: 3,
      type: 'action',
      outcome: 'processed',
    },
    '/ingest/r-2?message=3',
  ],
])('a pasted id opens what has it: %j', async (item, page) => {
  await using opened = await visit({ 'GET search': found(item) });
  await opened.open('/users');
  await openSearch(opened.page);
  await opened.page.keyboard.insertText(`  ${item.id}  `);
  await opened.page.getByRole('option', { name: new RegExp(item.title) }).waitFor();
  await opened.page.keyboard.press('Enter');
  await opened.page.waitForURL((url) => `${url.pathname}${url.search}`.endsWith(page));
});

test('a page and a new thing are found by their words, of what the role permits', async () => {
  await using opened = await visit({ 'GET search': found() }, 'viewer');
  const { page } = opened;
  await opened.open('/users');
  await openSearch(page);
  await page.keyboard.type('new');
  await page.getByText('Nothing is called “new”, and no id is like it.').waitFor();
  await page.getByRole('combobox').fill('sup');
  await page.getByRole('option', { name: 'Suppressions' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/settings\/suppressions$/);
});

test('what was not searched is named, and a fault stands where the answer would', async () => {
  await using opened = await visit({
    'GET search': ({ query }) =>
      query['q'] === 'slow'
        ? { json: { items: [], incomplete: ['users'] } }
        : { status: 503, json: { title: 'Unavailable', detail: 'The database does not answer.' } },
  });
  const { page } = opened;
  await opened.open('/users');
  await openSearch(page);
  await page.keyboard.type('slow');
  await page.getByText('Not everything was searched: users. More characters find more.').waitFor();
  await page.getByRole('combobox').fill('fault');
  await page.getByText('The database does not answer.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
