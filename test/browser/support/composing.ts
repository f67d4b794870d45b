import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { Locator, Page } from 'playwright-core';
import { CAMPAIGN_ID } from './campaigns.ts';
import type { PagesVisit } from './pages.ts';
import { choose } from './pickers.ts';

/** The channels, all with one status. */
export const channels = (status: string) => ({
  json: { items: CHANNELS.map((channel) => ({ channel, status, settings: {} })), nextCursor: null },
});

/** The answer to a campaign. */
export const accepted = {
  json: {
    campaignId: CAMPAIGN_ID,
    status: 'queued',
    channel: 'EMAIL',
    recipients: { requested: 2, unique: 2 },
    createdAt: 1,
    requestId: CAMPAIGN_ID,
    warnings: [],
  },
};

/** Fills in a draft that can be sent; `to` null: to a segment that is already chosen. */
export async function write(
  page: Page,
  {
    to = 'ada, grace\neve',
    text = '<p>Hello</p>',
  }: { readonly to?: string | null; readonly text?: string } = {},
): Promise<void> {
  if (to !== null) await listPeople(page, to);
  await choose(page, 'Purpose', 'Transactional');
  await page.getByLabel('Subject').fill('Hello');
  await page.getByLabel('HTML or text').fill(text);
}

/** Chooses listed people. */
export async function listPeople(page: Page, ids: string): Promise<void> {
  await page.getByRole('button', { name: 'Listed people' }).click();
  await page.getByRole('textbox', { name: 'Recipients' }).fill(ids);
}

/** Shows a message as a person gets it: by an id, or by the first whom a search finds. */
export async function previewFor(page: Page, person: string): Promise<void> {
  await page.getByLabel('Preview for').fill(person);
  await page.keyboard.press('Enter');
}

/** The button that sends or schedules: it names whom once the draft is complete. */
export const sendButton = (page: Page): Locator =>
  page.getByRole('group', { name: 'Send' }).getByRole('button', { name: /^(Send|Schedule)/ });

/** Sends a complete draft. */
export const send = (page: Page): Promise<void> =>
  sendButton(page)
    .and(page.getByRole('button', { name: /^Send to / }))
    .click();

/** The kinds of times at which a campaign begins. */
export const beginnings = (scope: Page | Locator): Locator =>
  scope.getByRole('group', { name: 'Begins' }).getByRole('button');

/** The campaigns that a page has sent. */
export const posted = ({ calls }: PagesVisit) =>
  calls.filter(({ name }) => name === 'POST campaigns');
