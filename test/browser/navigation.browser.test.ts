import { expect, test } from '@jest/globals';
import type { MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (role: MemberRole = 'owner') =>
  pages.visit({ role, answers: { ...LONG_ANSWERS, 'DELETE session': { json: {} } } });

test('places stand in groups, and marketers find those of developers closed', async () => {
  await using opened = await visit('marketer');
  const { page } = opened;
  await opened.open('/campaigns');
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link', { name: 'Campaigns' }).waitFor();

  expect(await navigation.getByRole('heading').allTextContents()).toEqual([
    'Messages',
    'People',
    'Analytics',
    'Data',
  ]);
  expect(await navigation.getByRole('link', { name: 'Webhooks' }).isVisible()).toBe(false);
  await navigation.getByText('Developers').click();
  expect(await navigation.getByRole('link', { name: 'Webhooks' }).isVisible()).toBe(true);
  expect(
    await navigation.getByRole('link', { name: 'Campaigns' }).getAttribute('aria-current'),
  ).toBe('page');
});

test.each([
  ['/new-funnel', 'Funnels'],
  ['/new-segment', 'Segments'],
  ['/compose', 'Campaigns'],
])('where something new is made, at %s, %s is the place', async (path, place) => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();

  const current = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]');
  expect(await current.allInnerTexts()).toEqual([place]);
});

test('G and a letter opens a place, C begins a campaign, and neither acts in a field', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  // On their own, C begins a campaign and K goes up a row.
  await page.locator('tbody tr.clickable').first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  await page.locator('tbody tr.clickable').first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('gc');
  expect(await page.getByRole('searchbox').inputValue()).toBe('gc');
  await page.getByRole('searchbox').blur();
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
});

test('single keys can be switched off', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/users');
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('checkbox').uncheck();
  await page.getByRole('button', { name: 'Close' }).click();

  await page.keyboard.press('c');
  await page.keyboard.press('/');
  expect(new URL(page.url()).pathname).toBe('/dashboard/users');
  expect(await page.evaluate('document.activeElement.type')).not.toBe('search');
});

test('the menu of the account has settings, theme and the sign-out', async () => {
  await using opened = await visit();
  const { page, calls } = opened;
  await opened.open('/');
  const account = page.getByRole('button', { name: 'Account of Mia' });
  await account.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);

  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  expect(await seriousFindings(page)).toEqual([]);
  await account.click();
  await account.click();
  expect(await page.getByRole('menu').isVisible()).toBe(false);
  await account.click();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('menu').isVisible()).toBe(false);
  await account.click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await account.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await eventually(() => expect(calls.map(({ name }) => name)).toContain('DELETE session'));
});

test('New offers what the role permits', async () => {
  await using viewer = await visit('viewer');
  await viewer.open('/');
  await viewer.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(await viewer.page.getByRole('button', { name: 'New', exact: true }).count()).toBe(0);
  await viewer.page.keyboard.press('c');
  expect(new URL(viewer.page.url()).pathname).toBe('/dashboard/');

  await using marketer = await visit('marketer');
  await marketer.open('/');
  await marketer.page.getByRole('button', { name: 'New', exact: true }).click();
  expect(await marketer.page.getByRole('menuitem').allTextContents()).toEqual([
    expect.stringContaining('Campaign'),
    expect.stringContaining('Automation'),
    expect.stringContaining('Segment'),
    expect.stringContaining('Template'),
    expect.stringContaining('Funnel'),
  ]);
});
