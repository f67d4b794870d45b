import type { Task } from '../task.ts';
import { awaitStatus, campaignIdOf, readCampaign } from './campaigns.ts';
import { storeDraft } from './drafts.ts';
import { sendButton } from './places.ts';

const LOCAL_NINE = /T09:00$/;

export const takeBack: Task = {
  name: '7 Schedule it for tomorrow 9:00, each in their own zone; take it back',
  clicksMax: 4,
  async prepare(scene) {
    const condition = { field: 'city', is: 'Berlin' };
    return {
      from: await storeDraft(scene, { purpose: 'transactional', segment: { condition } }),
      async perform(page) {
        await page.getByRole('button', { name: 'Each in their own zone' }).click();
        await page.getByRole('button', { name: 'Tomorrow 9:00' }).click();
        await sendButton(page).click();
        await page.waitForURL(/\/campaigns\//);
        const campaignId = campaignIdOf(page.url());
        const { schedule } = await readCampaign(scene, campaignId);
        if (!LOCAL_NINE.test(schedule?.sendAtLocal ?? ''))
          throw new Error(`It was scheduled for ${JSON.stringify(schedule)}.`);
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('Taken back. Nothing was sent.').waitFor();
        await awaitStatus(scene, campaignId, 'canceled');
      },
    };
  },
};
