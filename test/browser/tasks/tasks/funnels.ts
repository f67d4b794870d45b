import { eventually } from '@tidings/testing';
import { PURCHASE } from '../data/people.ts';
import type { Task } from '../task.ts';
import { campaignIdOf, readCampaign } from './campaigns.ts';
import { placeLink, sendButton } from './places.ts';

const VIEW = 'item_viewed';
const QUEUED_WITHIN = { timeoutMs: 60_000, intervalMs: 200 };

/** Each of them is a recipient: the number of the page is that of the campaign. */
export const writeToDropped: Task = {
  name: '18 How many of those who viewed an item bought it within 7 days; write to those who did not',
  clicksMax: 6,
  async prepare(scene) {
    return {
      async perform(page) {
        await placeLink(page, 'Funnels').click();
        await page
          .getByRole('main')
          .getByRole('link', { name: 'New funnel', exact: true })
          .first()
          .click();
        for (const name of [VIEW, PURCHASE])
          await page.getByRole('option', { name, exact: true }).click();
        await page.getByText('Exact, as of').waitFor();
        await page.getByText(`Came to ${PURCHASE} within 7 days`).waitFor();
        const write = page.getByRole('button', { name: /^Write to the \d/ });
        const meant = Number((await write.innerText()).replaceAll(/\D/g, ''));
        await write.click();
        await page.getByLabel('Subject').fill('Still thinking about it?');
        await page.getByLabel('HTML or text').fill('<p>It is still here.</p>');
        await sendButton(page).click();
        await page.waitForURL(/\/campaigns\//);
        await eventually(async () => {
          const { counts } = await readCampaign(scene, campaignIdOf(page.url()));
          if (meant === 0 || counts.total !== meant)
            throw new Error(`${counts.total} recipients, not ${meant}.`);
        }, QUEUED_WITHIN);
      },
    };
  },
};
