import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { CAMPAIGN_STATUSES, CHANNELS, ERROR_CODES, MESSAGE_OUTCOMES, RECEIPT_REASONS } from '@tidings/contracts';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { openPages, type Answers, type Pages } from './support/pages.ts';

jest.setTimeout(60_000);
let browser: Browser;
let pages: Pages;
beforeAll(async () => {
  browser = await launchChromium();
  pages = await openPages();
});
afterAll(async () => {
  await browser?.close();
  await pages?.[Symbol.asyncDispose]();
});

const ID = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';
const REFUSED_ID = '01a1fda0-848f-725a-80f0-dd4cca31ca29';
const AT = 1_795_256_516_534;
const LONG_ID = 'order-2024-11-20-0199a5c0-0000-7000-8000-00000000000a';

const COUNTS = { total: 1_000_000, pending: 0, waiting: 0, sent: 0, delivered: 0, displayed: 0, opened: 0, clicked: 0, successful: 999_999, failed: 1, unknown: 0, expired: 0, canceled: 0, unsubscribed: 0, complained: 0 };
const TIMING = { createdAt: AT, startedAt: AT, firstSentAt: AT, lastSentAt: AT, completedAt: AT, durationMs: 1, p50Ms: 1, p95Ms: 1 };
const campaigns = CAMPAIGN_STATUSES.map((status, index) => ({
  campaignId: `${ID.slice(0, -1)}${index}`,
  channel: CHANNELS[index],
  purpose: 'transactional',
  source: 'dashboard',
  status,
  message: { body: index % 2 === 0 ? 'Donaudampfschifffahrtsgesellschaftskapitän' : 'Your order is on its way, and comes tomorrow' },
  recipients: { requested: 1_000_000, unique: 1_000_000 },
  counts: COUNTS,
  failures: {},
  timing: TIMING,
  createdBy: 'member:Mia',
  requestId: ID,
}));
const messages = RECEIPT_REASONS.map((reason, index) => ({ index, id: index % 2 === 0 ? LONG_ID : 'm', type: 'businessEvent', outcome: MESSAGE_OUTCOMES[index % MESSAGE_OUTCOMES.length], reason }));
const CODES = Object.keys(ERROR_CODES);
const errors = [{ pointer: '/messages/0/attributes/a_name_that_goes_on_and_on_and_has_no_end_to_it', code: 'wrong_type', expected: 'integer', index: 0, messageId: LONG_ID }];
/** More than are drawn whole. */
const refusals = Array.from({ length: 100 }, (_, index) => ({ requestId: `${REFUSED_ID.slice(0, -2)}${index.toString().padStart(2, '0')}`, receivedAt: AT, outcome: 'refused', status: 400, code: CODES[index % CODES.length], path: '/', errors, unlisted: 1_234_567, customUserId: LONG_ID }));

const listOf = (items: readonly unknown[]) => ({ json: { items, nextCursor: null } });
const ANSWERS: Answers = {
  'GET campaigns': listOf(campaigns),
  'GET ingest': listOf([...refusals, ...messages.map((message) => ({ ...message, requestId: ID, receivedAt: AT }))]),
  [`GET ingest/${ID}`]: { json: { requestId: ID, receivedAt: AT, complete: true, messages } },
  'GET events': listOf([]),
};
/** Each with a text that shows that all is there. */
const PAGES = {
  campaigns: ['/campaigns', /^Donaudampf/],
  'the ingest log': ['/ingest', /at \/$/],
  'an accepted request': [`/ingest/${ID}`, LONG_ID],
  'a refused request': [`/ingest/${REFUSED_ID}`, 'Refused with 400'],
  'an address without a page': ['/nowhere/at/all', 'There is no page at this address'],
} as const;
const WIDTHS = [360, 480, 720, 1_280];

const visitAt = (width: number) => pages.visit(browser, { role: 'owner', answers: ANSWERS }, { viewport: { width, height: 800 }, reducedMotion: 'reduce' });

/** By how much the page, and each table in it, goes beyond what is seen of it. */
const beyond = (page: Page) => page.evaluate<number[]>(`[document.documentElement, ...document.querySelectorAll('.table-box')].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`);

describe.each(WIDTHS)('at %d px nothing scrolls sideways', (width) => {
  test.each(Object.entries(PAGES))('%s', async (_name, [path, text]) => {
    await using visit = await visitAt(width);
    await visit.open(path);
    await visit.page.getByText(text).first().waitFor();

    expect(new Set(await beyond(visit.page))).toEqual(new Set([0]));
  });
});

test.each(WIDTHS)('at %d px an address without a page leads on by the navigation', async (width) => {
  await using visit = await visitAt(width);
  const { page } = visit;
  await visit.open('/settings/nothing-of-the-kind');
  await page.getByRole('heading', { name: 'Not found', exact: true }).waitFor();

  const navigation = page.getByRole('navigation', { name: 'Main' });
  if (!(await navigation.isVisible())) await page.getByRole('button', { name: 'Open the navigation' }).click();
  await navigation.getByRole('link', { name: 'Campaigns' }).click();

  await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor();
});
