import { expect, test } from '@jest/globals';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { choose } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

test('the setting for optional user tokens warns what every visitor can do', async () => {
  await using visit = await pages.visit({ role: 'owner', answers: LONG_ANSWERS });
  const { page } = visit;
  await visit.open('/settings');
  const card = page.locator('.card', {
    has: page.getByRole('heading', { name: 'Sending, devices and data' }),
  });
  const warning = card.getByText('every visitor of your pages can act as any user');
  await card.getByLabel('User tokens').waitFor();
  expect(await warning.count()).toBe(0);

  await choose(card, 'User tokens', 'Optional – anyone can claim any ID (insecure)');

  await warning.waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});
