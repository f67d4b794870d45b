import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { Page } from 'playwright-core';
import { CAMPAIGN_ID } from './campaigns.ts';
import type { PagesVisit } from './pages.ts';

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
  if (to !== null) await page.getByRole('textbox', { name: 'Recipients' }).fill(to);
  await page.getByLabel('Purpose').selectOption('transactional');
  await page.getByLabel('Subject').fill('Hello');
  await page.getByLabel('HTML or text').fill(text);
}

/** The campaigns that a page has sent. */
export const posted = ({ calls }: PagesVisit) =>
  calls.filter(({ name }) => name === 'POST campaigns');
