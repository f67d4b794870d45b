import type { Task } from '../task.ts';
import { PERSONAL_MAIL } from './drafts.ts';

export const personalMail: Task = {
  name: '5 Write a personal e-mail, see it as one chosen user gets it',
  clicksMax: 3,
  async prepare({ data }) {
    const { customUserId = '', firstName } = data.people.at(2) ?? {};
    return {
      async perform(page) {
        await page.getByRole('button', { name: 'New', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Campaign' }).click();
        await page.getByLabel('Subject').fill(PERSONAL_MAIL.title);
        await page.getByLabel('HTML or text').fill(PERSONAL_MAIL.body);
        const search = page.getByRole('combobox', { name: 'Preview for' });
        await search.fill(customUserId);
        await search.press('Enter');
        await page.getByText(`For ${firstName}`).waitFor();
        await page
          .frameLocator('iframe[title="E-mail"]')
          .getByText(`Dear ${firstName}, thank you.`)
          .waitFor();
      },
    };
  },
};
