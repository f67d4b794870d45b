import type { Locator, Page } from 'playwright-core';

/** A link of the navigation. */
export const placeLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

/** Finds by the search of all pages, and opens what is found: two clicks. */
export async function search(page: Page, text: string, found: string): Promise<void> {
  await page.getByRole('button', { name: 'Search' }).click();
  const dialog = page.getByRole('dialog', { name: 'Search' });
  await dialog.getByRole('combobox').fill(text);
  await dialog.getByRole('option').filter({ hasText: found }).first().click();
}

/** The latest campaigns, on the overview. */
export const latestCampaigns = (page: Page): Locator =>
  page.getByRole('region', { name: 'Latest campaigns' });

/** The link of one of them. */
export const latestCampaign = (page: Page, name: string): Locator =>
  latestCampaigns(page).getByRole('link', { name, exact: true });

/** The button that sends or schedules what is composed. */
export const sendButton = (page: Page): Locator =>
  page.getByRole('group', { name: 'Send' }).getByRole('button', { name: /^(Send|Schedule)/ });
