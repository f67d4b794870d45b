import { expect, test } from '@jest/globals';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { choose, chosen } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

test('a new application is asked for its time zone, by default that of the browser', async () => {
  await using visit = await pages.visit({
    role: 'owner',
    answers: { ...LONG_ANSWERS, 'POST applications': { status: 500, json: {} } },
  });
  const { page, calls } = visit;
  await visit.open('/settings');
  await page.getByRole('button', { name: 'New application' }).click();
  const dialog = page.getByRole('dialog');
  const posted = async () => {
    const answered = page.waitForResponse(
      (response) =>
        response.request().method() === 'POST' && response.url().endsWith('/applications'),
    );
    await dialog.getByRole('button', { name: 'Create' }).click();
    await answered;
    return calls.findLast(({ name }) => name === 'POST applications')?.body;
  };
  expect(await chosen(dialog, 'Time zone')).toBe('Europe/Berlin');

  await dialog.getByRole('textbox', { name: 'Name' }).fill('Shop');
  expect(await posted()).toEqual({ name: 'Shop', timeZone: 'Europe/Berlin' });
  await choose(dialog, 'Time zone', 'Asia/Tehran');
  expect(await posted()).toEqual({ name: 'Shop', timeZone: 'Asia/Tehran' });
  await choose(dialog, 'Time zone', 'UTC');
  expect(await posted()).toEqual({ name: 'Shop' });
});
