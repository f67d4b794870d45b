import type { Locator, Page } from 'playwright-core';
import { PURCHASE } from '../data/people.ts';
import type { Task } from '../task.ts';
import { awaitStatus, campaignIdOf } from './campaigns.ts';
import { storeDraft } from './drafts.ts';
import { sendButton } from './places.ts';

const CITY = 'Berlin';
const ESTIMATE_WITHIN = 0.2;

export const ownConditions: Task = {
  name: '6 Send it to everybody in Berlin who bought within 30 days; see how many and who before',
  clicksMax: 6,
  lacks: 'a condition takes its kind, and then its field or event; the first one must be removed.',
  async prepare(scene) {
    const meant = scene.data.people.filter(({ city, isBuyer }) => city === CITY && isBuyer);
    return {
      from: await storeDraft(scene, {}),
      async perform(page) {
        await page.getByRole('button', { name: 'Conditions', exact: true }).click();
        await addCondition(page, 'Profile field');
        await chooseBySearch(condition(page, 2), 'Field', 'city');
        await condition(page, 2).getByLabel('Value', { exact: true }).fill(CITY);
        await page.getByRole('button', { name: 'Remove condition 1', exact: true }).click();
        await addCondition(page, 'Event');
        await chooseBySearch(condition(page, 2), 'Event', PURCHASE);
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
  const text = await page.getByText(/ can be reached by E-mail$/).innerText();
  const shown = Number(/^\D*([\d,]+) of /.exec(text)?.[1]?.replaceAll(',', ''));
  if (!(Math.abs(shown - meant) <= meant * ESTIMATE_WITHIN))
    throw new Error(`The page shows “${text}”, of ${meant} who are meant.`);
}

async function addCondition(page: Page, kind: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name: kind, exact: true }).click();
}

/** A condition of the group, by its place. */
const condition = (page: Page, number: number): Locator =>
  page.locator('.condition-parts > fieldset').nth(number - 1);

async function chooseBySearch(scope: Locator, label: string, option: string): Promise<void> {
  await scope.getByRole('combobox', { name: label, exact: true }).first().click();
  const page = scope.page();
  await page.getByLabel('Search', { exact: true }).pressSequentially(option);
  await page.getByRole('option').nth(1).waitFor({ state: 'detached' });
  await page.locator('[role=option][data-focused]').waitFor();
  await page.keyboard.press('Enter');
}
