import { eventually } from '@tidings/testing';
import type { Task } from '../task.ts';
import { awaitStatus, campaignIdOf, push, received } from './campaigns.ts';
import { placeLink, sendButton } from './places.ts';

const PEOPLE = 20;
const SUBJECT = 'Once more: the autumn catalogue';

export const sendAgain: Task = {
  name: '8 Send last month’s campaign again with another subject',
  clicksMax: 3,
  async prepare(scene) {
    const name = 'Autumn catalogue';
    const campaignId = await push(scene, {
      name,
      recipients: scene.data.people.slice(0, PEOPLE).map(({ customUserId }) => customUserId),
      channel: 'EMAIL',
      message: { title: 'The autumn catalogue', body: '<p>Read on</p>' },
      purpose: 'transactional',
    });
    await awaitStatus(scene, campaignId, 'completed');
    return {
      async perform(page) {
        await placeLink(page, 'Campaigns').click();
        await page.getByRole('searchbox', { name: 'Name, title or id' }).fill(name);
        const row = page.getByRole('row').filter({ hasText: name });
        await page.getByText(/^1 row$/).waitFor();
        await row.hover();
        await row.getByRole('button', { name: 'Duplicate' }).click();
        await page.getByLabel('Subject').fill(SUBJECT);
        await sendButton(page).click();
        await page.waitForURL(/\/campaigns\//);
        const sent = campaignIdOf(page.url());
        await eventually(
          async () => {
            const { count, messages } = await received(scene, { campaignId: sent });
            if (count !== PEOPLE || messages[0]?.title !== SUBJECT)
              throw new Error(`The sandbox has ${count} of “${messages[0]?.title}”.`);
          },
          { timeoutMs: 60_000 },
        );
      },
    };
  },
};
