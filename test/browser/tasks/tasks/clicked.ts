import { simulateReaders } from '../../screens/simulate-readers.ts';
import type { Task } from '../task.ts';
import { awaitStatus, push, readCampaign } from './campaigns.ts';
import { latestCampaign } from './places.ts';

const PEOPLE = 30;

/** It ends where the message is written: for those people, by the same channel. */
export const writeToClicked: Task = {
  name: '11 Write again to those who clicked',
  clicksMax: 3,
  async prepare(scene) {
    const name = 'Winter catalogue';
    const campaignId = await push(scene, {
      name,
      recipients: scene.data.people.slice(0, PEOPLE).map(({ customUserId }) => customUserId),
      channel: 'EMAIL',
      message: { title: 'Winter', body: '<p><a href="https://shop.example/winter">Look</a></p>' },
    });
    await awaitStatus(scene, campaignId, 'completed');
    await simulateReaders(scene.local, campaignId);
    const { counts } = await readCampaign(scene, campaignId);
    return {
      async perform(page) {
        await latestCampaign(page, name).click();
        await page.getByRole('button', { name: 'Write to…' }).click();
        await page.getByRole('menuitem', { name: 'Clicked', exact: true }).click();
        const who = `${counts.clicked} of ${counts.clicked} can be reached by E-mail`;
        await page.getByText(who, { exact: true }).waitFor();
        await page.getByLabel('Subject').fill('You clicked');
      },
    };
  },
};
