import { eventually } from '@tidings/testing';
import type { Page } from 'playwright-core';
import { PURCHASE } from '../data/people.ts';
import type { Task } from '../task.ts';
import { awaitStatus, campaignIdOf } from './campaigns.ts';
import { PERSONAL_MAIL } from './drafts.ts';
import { sendButton } from './places.ts';

const CITY = 'Berlin';
const ESTIMATE_WITHIN = 0.2;
const SEEN_WITHIN = { timeoutMs: 30_000 };
/** An estimate is replaced while it is looked at. */
const SHORT = { timeout: 2_000 };

export const ownConditions: Task = {
  name: '6 Send it to everybody in Berlin who bought within 30 days; see how many and who before',
  clicksMax: 6,
  async prepare(scene) {
    const meant = scene.data.people.filter(({ city, isBuyer }) => city === CITY && isBuyer);
    return {
      async perform(page) {
        await page.keyboard.press('c');
        await page.getByLabel('Subject').fill(PERSONAL_MAIL.title);
        await page.getByLabel('HTML or text').fill(PERSONAL_MAIL.body);
        await page.getByRole('button', { name: 'Conditions', exact: true }).click();
        await addCondition(page, CITY);
        await addCondition(page, PURCHASE);
        await seeHowMany(page, meant.length);
        await page.getByRole('button', { name: 'See who' }).click();
        const panel = page.getByRole('complementary', { name: 'Audience' });
        await panel.getByRole('listitem').first().waitFor();
        await sendButton(page).click();
        await page.waitForURL(/\/campaigns\//);
        const { counts } = await awaitStatus(scene, campaignIdOf(page.url()), 'completed');
        if (counts.total !== meant.length || counts.sent !== meant.length)
          throw new Error(`${counts.sent} of ${counts.total} sent, not ${meant.length}.`);
      },
    };
  },
};

/** Of many people the page has an estimate. */
async function seeHowMany(page: Page, meant: number): Promise<void> {
  let shown = '';
  await eventually(async () => {
    shown = await page.getByText(/ can be reached by E-mail$/).innerText(SHORT);
    const count = Number(/^\D*([\d,]+) of /.exec(shown)?.[1]?.replaceAll(',', ''));
    if (!(Math.abs(count - meant) <= meant * ESTIMATE_WITHIN))
      throw new Error(`The page shows “${shown}”, of ${meant} who are meant.`);
  }, SEEN_WITHIN);
}

/** Types what is meant, and takes what is found first. */
async function addCondition(page: Page, text: string): Promise<void> {
  const search = page.getByRole('combobox', { name: 'Add a condition' });
  await search.fill(text);
  await page.getByRole('option', { selected: true }).getByText(text).first().waitFor();
  await search.press('Enter');
}
